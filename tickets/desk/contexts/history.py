"""What changed on a node: the record of events, and verdicts that turned."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext_lazy as _

from diagnostics.examine.models import ReadingChange
from fleet.changes.models import Event
from fleet.people import formats
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
    "ticket_opened": _("Ticket opened"),
    "incident_opened": _("Incident found"),
    "incident_taken": _("Incident taken"),
    "incident_snoozed": _("Incident snoozed"),
    "incident_woken": _("Incident woken"),
    "incident_told_all": _("All affected customers told"),
    "incident_recovered": _("Incident recovered"),
    "incident_reopened": _("Incident came back"),
    "incident_gathered": _("Incidents gathered under one cause"),
    "incident_merged": _("Incident merged"),
    "incident_split": _("Incident split off"),
    "incident_closed": _("Incident closed by hand"),
    "incident_triaged": _("Triage step done"),
    "work_item_opened": _("Daytime work found"),
    "work_item_done": _("Daytime work done"),
    "sla_policy_assigned": _("Contract terms given"),
    "node_rebooted": _("Node restarted"),
}


NAMES = {
    "before": _("before"),
    "after": _("after"),
    "name": _("Name"),
    "state": _("State"),
    "container": _("Container"),
    "image": _("Image"),
    "limits": _("Limits"),
    "paths": _("Ports"),
    "gpus": _("Cards"),
    "price": _("Price"),
    "starts_at": _("Start"),
    "ends_at": _("End"),
    "address": _("Address"),
    "port": _("Port"),
    "ticket": _("Ticket"),
    "incident": _("Incident"),
    "work_item": _("Work item"),
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
    label, text = wording.value(name, None) if given is None else (name, _plain(given))
    if isinstance(given, str | int | float):
        label, text = wording.value(name, given)
    return str(NAMES.get(label, label.replace("_", " "))), text


def _plain(given: Any) -> str:
    """Stored values as text: a pair is what was and what is, a list its parts."""
    if isinstance(given, list) and len(given) == 2:
        return f"{_plain(given[0])} → {_plain(given[1])}"
    if isinstance(given, list):
        return ", ".join(_plain(each) for each in given) or formats.NOTHING
    if isinstance(given, dict):
        parts = (f"{name.replace('_', ' ')} {_plain(each)}" for name, each in given.items())
        return ", ".join(parts) or formats.NOTHING
    return formats.NOTHING if given in (None, "") else str(given)


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
