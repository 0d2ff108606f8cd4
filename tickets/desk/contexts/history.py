"""What changed on a node: the record of events, and verdicts that turned."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from diagnostics.examine.models import ReadingChange
from fleet.changes.models import Event
from tickets import wording
from tickets.desk.contexts.spine import Names
from tickets.wording import Sign

KINDS = {
    "node_added": _("Node added"),
    "node_changed": _("Node data changed"),
    "node_moved": _("Node state changed"),
    "gpu_added": _("Card added"),
    "gpu_changed": _("Card data changed"),
    "gpu_moved": _("Card state changed"),
    "gpu_relocated": _("Card moved here"),
    "gpu_left": _("Card moved away"),
    "lease_created": _("Instance created"),
    "lease_changed": _("Instance data changed"),
    "lease_moved": _("Instance state changed"),
    "host_key_offered": _("Node showed a host key"),
    "host_key_pinned": _("Host key trusted"),
    "host_key_refused": _("Host key refused"),
    "host_key_changed": _("Node showed another host key"),
    "credential_made": _("Login key made"),
    "driver_changed": _("Driver version changed"),
    "restart_announced": _("Restart announced"),
    "kernel_changed": _("Kernel version changed"),
    "boot_id_changed": _("Node restarted"),
    "vbios_changed": _("VBIOS changed"),
    "power_limit_changed": _("Power limit changed"),
    "power_limit_w_changed": _("Power limit changed"),
    "pci_bus_id_changed": _("PCI address changed"),
}


@dataclass(frozen=True, slots=True)
class EventRow:
    """One fact of the change record."""

    at: datetime
    what: str
    who: str
    details: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """A probe's verdict on a target turned."""

    at: datetime
    before: Sign
    after: Sign
    probe: str
    target: str
    said: str


def events(rows: Iterable[Event], people: Mapping[int, str]) -> tuple[EventRow, ...]:
    """The record in words; `people` are the names of actors by number."""
    return tuple(
        EventRow(
            at=row.at,
            what=str(KINDS.get(row.kind, row.kind.replace("_", " "))),
            who=people.get(row.actor_id or 0, ""),
            details=tuple(
                _detail(name, given) for name, given in sorted(row.data.items(), key=_place)
            ),
        )
        for row in rows
    )


def _place(detail: tuple[str, Any]) -> tuple[int, str]:
    """What was before what is, then the rest by name: databases keep no order of their own."""
    first = {"before": 0, "after": 1}
    return first.get(detail[0], 2), detail[0]


def _detail(name: str, given: Any) -> tuple[str, str]:
    plain = given if isinstance(given, str | int | float) or given is None else str(given)
    return wording.value(name, plain)


def turns(rows: Iterable[ReadingChange], known: Names) -> tuple[TurnRow, ...]:
    """Verdict changes, newest first."""
    return tuple(
        TurnRow(
            at=row.at,
            before=wording.verdict(row.before),
            after=wording.verdict(row.after),
            probe=wording.probe(row.probe),
            target=known.of(row.target),
            said=wording.sentence(row.reason, row.values),
        )
        for row in rows
    )
