"""Imports nodes from a CSV table or an ssh_config: the same rows again change nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.inventory.importing.cards import import_cards
from fleet.inventory.importing.columns import COLUMNS, REQUIRED, read_facts
from fleet.inventory.importing.places import Places
from fleet.inventory.importing.report import Report, RowReport
from fleet.inventory.importing.running import run_rows
from fleet.inventory.importing.sshconfig import HostEntry, Skipped, parse_ssh_config
from fleet.inventory.importing.table import TableRow, check_shape, read_table
from fleet.inventory.models import HostKey, JumpHost, Node
from fleet.inventory.services import (
    add_node,
    ask_for_scan,
    change_node,
    enrol,
    offer_host_key,
)
from fleet.inventory.states import HostKeyState
from fleet.people.models import User


@dataclass(frozen=True, slots=True)
class Wish:
    """How to import. `provider` and `region` serve rows that name none."""

    provider: str = ""
    region: str = ""
    dry_run: bool = True
    all_or_nothing: bool = False
    actor: User | None = None


def import_csv(text: str, wish: Wish) -> Report:
    """Import a table of nodes. Raises BadFile when it cannot be read at all."""
    return _import(read_table(text, columns=COLUMNS, required=REQUIRED), wish)


def import_ssh_config(text: str, wish: Wish) -> Report:
    """Import the hosts that an ssh_config names in full; the rest is reported as skipped."""
    entries, skipped = parse_ssh_config(text)
    report = _import([_from_ssh(entry) for entry in entries], wish)
    users = {entry.line: entry.user for entry in entries if entry.user}
    for row in report.rows:
        if row.line in users and row.outcome == "created":
            row.notes.append(
                _("User %(user)s is not used: Halfhour logs in with its own account.")
                % {"user": users[row.line][:40]}
            )
    rows = [*report.rows, *map(_skipped, skipped)]
    return replace(report, rows=sorted(rows, key=lambda row: row.line))


def _import(rows: Sequence[TableRow], wish: Wish) -> Report:
    importer = _Importer(wish)
    report = run_rows(
        rows, importer.apply, dry_run=wish.dry_run, all_or_nothing=wish.all_or_nothing
    )
    return replace(report, notes=importer.places.notes())


def _from_ssh(entry: HostEntry) -> TableRow:
    cells = {"name": entry.name, "address": entry.address, "port": entry.port, "jump": entry.jump}
    if entry.command:
        cells["__command__"] = entry.command
    return TableRow(entry.line, entry.name[:80], {k: v for k, v in cells.items() if v})


def _skipped(line: Skipped) -> RowReport:
    sentences = {
        "pattern": _("A pattern names no single host; its settings were applied to those it fits."),
        "match": _("Match blocks are not followed. Name the hosts in Host blocks."),
        "include": _("Include is not followed. Import that file as well."),
        "unreadable": _("This line could not be read."),
    }
    return RowReport(line.line, line.name, "skipped", [sentences[line.reason]])


class _Importer:
    """Applies rows one by one and remembers what a row alone cannot know."""

    def __init__(self, wish: Wish) -> None:
        self._wish = wish
        self._lines: dict[str, int] = {}
        self.places = Places(wish.actor)

    def apply(self, row: TableRow) -> RowReport:
        """One row. Raises Refused; the caller undoes the row."""
        check_shape(row)
        missing = [name for name in REQUIRED if name not in row.cells]
        if missing:
            raise Refused({name: _("This cell must not be empty.") for name in missing})
        if "__command__" in row.cells:
            raise Refused(_("ProxyCommand is not used. Name a bastion with ProxyJump."))
        first = self._lines.setdefault(row.cells["name"], row.line)
        if first != row.line:
            raise Refused({"name": _("Line %(line)d names this node too.") % {"line": first}})
        self.places.begin()
        node = _find(row.cells["name"])
        report = self._change(row, node) if node else self._add(row)
        self.places.keep()
        return report

    def _add(self, row: TableRow) -> RowReport:
        facts = read_facts(row.cells)
        node = add_node(
            name=row.cells["name"],
            provider=self.places.provider(row.cells.get("provider", self._wish.provider)),
            region=self.places.region(row.cells.get("region", self._wish.region)),
            jump=_jump(row.cells.get("jump")),
            actor=self._wish.actor,
            **facts,
        )
        report = RowReport(row.line, row.name, "created")
        report.changes += import_cards(node, row.cells, self._wish.actor)
        report.changes += self._host_key(node, row, report)
        if "host_key" not in row.cells:
            ask_for_scan(node=node, actor=self._wish.actor)
        return report

    def _change(self, row: TableRow, node: Node) -> RowReport:
        provider = row.cells.get("provider")
        if provider and provider != node.provider.name:
            words = {"provider": node.provider.name}
            raise Refused({"provider": _("This node belongs to %(provider)s for good.") % words})
        facts = read_facts(row.cells)
        if "region" in row.cells:
            facts["region"] = self.places.region(row.cells["region"])
        if "jump" in row.cells:
            facts["jump"] = _jump(row.cells["jump"])
        report = RowReport(row.line, row.name, "unchanged")
        report.changes += change_node(node=node, actor=self._wish.actor, **facts)
        report.changes += import_cards(node, row.cells, self._wish.actor)
        report.changes += self._host_key(node, row, report)
        report.outcome = "updated" if report.changes else "unchanged"
        return report

    def _host_key(self, node: Node, row: TableRow, report: RowReport) -> list[str]:
        """Pin the key a person listed for a node that has none; never replace a pinned one."""
        text = row.cells.get("host_key")
        if not text:
            return []
        pinned = HostKey.objects.filter(node=node, state=HostKeyState.PINNED).first()
        key = offer_host_key(node=node, public_key=text, actor=self._wish.actor)
        if key.state == HostKeyState.PINNED:
            return []
        if pinned is None:
            enrol(key=key, fingerprint=key.fingerprint, actor=self._wish.actor)
            report.notes.append(_("Host key %(key)s pinned.") % {"key": key.fingerprint})
            return ["host_key"]
        report.notes.append(
            _("The host key differs from the pinned one. Compare both on the enrolment page.")
        )
        return []


def _find(name: str) -> Node | None:
    node = Node.objects.select_related("provider").filter(name=name).first()
    if node is not None and node.provider.simulated:
        raise Refused({"name": _("The drill has a node of this name. Choose another.")})
    return node


def _jump(name: str | None) -> JumpHost | None:
    if not name:
        return None
    found = JumpHost.objects.filter(name=name).first()
    if found is None:
        raise Refused(
            {
                "jump": _("No bastion is called “%(name)s”. Add it with the command jump_host.")
                % {"name": name[:80]}
            }
        )
    return found
