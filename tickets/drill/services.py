"""Orders to the simulator, in words for the person who gave them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from fleet.inventory.models import Node
from fleet.people.models import User
from fleet.simulator import orders
from fleet.simulator.control import Client
from fleet.simulator.faults import NotAFault, find
from tickets import wording


@dataclass(frozen=True, slots=True)
class InjectedRow:
    """A fault that is there now, and the catalogue fault an examination should name."""

    node: str
    url: str
    fault: str
    title: str
    place: str
    expected: str
    since: datetime


def inject(*, node: str, fault: str, gpu: str = "") -> str:
    """Let a fault happen; returns what happened. Raises SimulatorError, a sentence."""
    done = Client().inject(node, fault, gpu=gpu or None)
    words = {"fault": title(fault), "node": node, "place": _place(done)}
    if words["place"]:
        return _("Injected on %(node)s, %(place)s: %(fault)s.") % words
    return _("Injected on %(node)s: %(fault)s.") % words


def clear(*, node: str, by: User, fault: str = "") -> str:
    """Make a node well; returns what happened. Raises SimulatorError, a sentence."""
    done = orders.clear(node=node, fault=fault, by=by)
    words = {"fault": title(fault), "node": node}
    if fault and done["restarted"]:
        return _("Cleared on %(node)s, which restarts for it: %(fault)s.") % words
    if fault:
        return _("Cleared on %(node)s: %(fault)s.") % words
    if done["restarted"]:
        return _("%(node)s restarts and is well again.") % words
    return _("%(node)s is well again.") % words


def injected(nodes: Iterable[Node]) -> list[InjectedRow]:
    """What is injected now on these nodes, the newest first. Raises SimulatorError."""
    known = {node.name: node for node in nodes}
    rows = [
        _row(known[host["node"]], fault)
        for host in Client().list()
        if host["node"] in known
        for fault in host["faults"]
    ]
    return sorted(rows, key=lambda row: row.since, reverse=True)


def _row(node: Node, fault: dict[str, Any]) -> InjectedRow:
    return InjectedRow(
        node=node.name,
        url=reverse("node", args=[node.pk]),
        fault=fault["fault"],
        title=title(fault["fault"]),
        place=_place(fault),
        expected=wording.fault_text(fault["code"]).title,
        since=datetime.fromtimestamp(fault["since"], UTC),
    )


def title(name: str) -> str:
    """What a fault of the simulator is called."""
    try:
        return str(find(name).title)
    except NotAFault:
        return name


def _place(fault: dict[str, Any]) -> str:
    """The card or the port that a fault struck."""
    if fault.get("uuid"):
        return wording.card(str(fault["uuid"]))
    return _("Port %(port)s") % {"port": fault["port"]} if fault.get("port") else ""
