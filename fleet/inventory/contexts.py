"""What the pages of the inventory show, gathered before the template."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from fleet.inventory.importing.report import Report
from fleet.inventory.models import HostKey, ImportDraft, KeyScan, Node
from fleet.inventory.queries import newest_scan, open_keys
from fleet.inventory.states import HostKeyState, NodeState, ScanState


@dataclass(frozen=True, slots=True)
class Enrolment:
    """A node on its way into service."""

    node: Node
    pinned: HostKey | None
    offered: HostKey | None
    scan: KeyScan | None
    scanning: bool
    scan_words: str
    public_key: str
    username: str

    @property
    def changed(self) -> bool:
        """A node with a pinned key shows another one."""
        return self.pinned is not None and self.offered is not None

    @property
    def waiting(self) -> bool:
        """Not in service yet."""
        return self.node.state == NodeState.ENROLLING


def enrolment(node: Node) -> Enrolment:
    """Gather the keys of a node and the last look at them."""
    found, scan = open_keys(node), newest_scan(node)
    credential = node.credential
    return Enrolment(
        node=node,
        pinned=found.get(HostKeyState.PINNED),
        offered=found.get(HostKeyState.OFFERED),
        scan=scan,
        scanning=scan is not None and scan.state == ScanState.QUEUED,
        scan_words=_scan_words(scan.outcome if scan else ""),
        public_key=credential.public_key if credential else "",
        username=credential.username if credential else "",
    )


def _scan_words(outcome: str) -> str:
    sentences = {
        "offered": _("The node showed a key."),
        "known": _("The node showed the pinned key."),
        "changed": _("The node showed another key than the pinned one."),
        "timed_out": _("The node did not answer in time."),
        "no_such_host": _("The node's address is a name that does not resolve. Correct it."),
        "unreachable": _(
            "Nothing answers at this address and port: the node is down, its SSH server is not"
            " running, or a firewall stands between."
        ),
        "no_ssh": _("Something answers at this address and port, but it does not speak SSH."),
        "bastion_failed": _("The bastion in front of this node did not let us through."),
    }
    return sentences.get(outcome, "")


SIGNS = {
    "created": ("circle-plus", "is-ok"),
    "updated": ("pencil", "is-info"),
    "unchanged": ("equal", ""),
    "refused": ("octagon-x", "is-critical"),
    "skipped": ("corner-down-right", "is-unknown"),
}


def outcome_words() -> dict[str, str]:
    """The words for a row's fate."""
    return {
        "created": _(
            "New",
        ),
        "updated": _("Changed"),
        "unchanged": _("As it was"),
        "refused": _("Refused"),
        "skipped": _("Skipped"),
    }


@dataclass(frozen=True, slots=True)
class ReportRow:
    """A row's fate as the table shows it."""

    line: int
    name: str
    outcome: str
    word: str
    icon: str
    css: str
    notes: list[str]
    changes: str


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did or would do. `blocked`: all or nothing, and a row was refused."""

    done: bool
    blocked: bool
    counts: list[tuple[str, int]]
    notes: list[str]
    rows: list[ReportRow]
    writes: int


def import_report(draft: ImportDraft, report: Report | Mapping[str, Any]) -> ImportReport:
    """Gather a report, fresh or kept."""
    told = report.as_dict() if isinstance(report, Report) else report
    words, counts = outcome_words(), told["counts"]
    blocked = draft.all_or_nothing and counts.get("refused", 0) > 0
    return ImportReport(
        done=draft.report is not None and not told["dry_run"],
        blocked=blocked,
        counts=[(words[name], counts[name]) for name in words if counts.get(name)],
        notes=told["notes"],
        rows=[_row(row, words) for row in told["rows"]],
        writes=0 if blocked else counts.get("created", 0) + counts.get("updated", 0),
    )


def _row(row: Mapping[str, Any], words: Mapping[str, str]) -> ReportRow:
    icon, css = SIGNS[row["outcome"]]
    return ReportRow(
        line=row["line"],
        name=row["name"],
        outcome=row["outcome"],
        word=words[row["outcome"]],
        icon=icon,
        css=css,
        notes=row["notes"],
        changes=", ".join(row["changes"]),
    )
