"""The node page: the newest examination layer by layer, and what hangs on the node."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from diagnostics.examine.models import VisitRequest, Watch
from diagnostics.examine.queries import changes_of, queued_visit
from fleet.changes.queries import events_of_node
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState
from fleet.people import formats
from fleet.people.models import User
from tickets import wording
from tickets.desk import queries
from tickets.desk.contexts import cards, history, leases, spine
from tickets.desk.contexts.board import FindingRow, finding_row, place
from tickets.wording import Sign

PARTS = ("verdict", "findings", "spine", "cards", "leases", "history")
NEWEST = 12


@dataclass(frozen=True, slots=True)
class Examined:
    """How the newest examination ended, and whether another one is asked for."""

    at: datetime | None
    stale: bool
    verdict: Sign
    layer: str
    asked: VisitRequest | None
    facts: tuple[tuple[str, str], ...]
    ladder: tuple[spine.LayerBlock, ...]
    beside: tuple[spine.LayerBlock, ...]


@dataclass(frozen=True, slots=True)
class NodePage:
    """Everything the parts of the node page show."""

    examined: Examined
    findings: tuple[FindingRow, ...]
    cards: tuple[cards.CardRow, ...]
    leases: tuple[leases.LeaseRow, ...]
    events: tuple[history.EventRow, ...]
    turns: tuple[history.TurnRow, ...]
    enrolling: bool


@dataclass(frozen=True, slots=True)
class NodeHead:
    """What the head of the page says: where the node stands and how it is reached."""

    id: int
    name: str
    place: str
    facts: tuple[tuple[str, str], ...]
    enrolling: bool


def head(node: Node) -> NodeHead:
    """The part of the page that does not change by examinations."""
    facts = {
        wording.fact("provider"): node.provider.name,
        wording.fact("state"): node.get_state_display(),
        wording.fact("address"): f"{node.address}:{node.port}",
        wording.fact("jump"): node.jump.name if node.jump else "",
        wording.fact("login"): node.credential.username if node.credential else "",
        wording.fact("asset"): node.asset_tag,
        wording.fact("power"): " · ".join(part for part in (node.pdu, node.circuit) if part),
        wording.fact("uplink"): node.uplink,
        wording.fact("machine"): _machine(node),
    }
    return NodeHead(
        id=node.pk,
        name=node.name,
        place=place(node),
        facts=tuple((name, value) for name, value in facts.items() if value),
        enrolling=node.state == NodeState.ENROLLING,
    )


def _machine(node: Node) -> str:
    cores = wording.cores(node.cpu_cores) if node.cpu_cores else ""
    memory = formats.number(node.ram_gib, "GiB") if node.ram_gib else ""
    return " · ".join(part for part in (node.cpu_model, cores, memory) if part)


def page(user: User, node: Node) -> NodePage:
    """Read and word everything about one node."""
    watch: Watch | None = getattr(node, "watch", None)
    readings = watch.readings if watch else []
    running, gpus = queries.leases_of(user, node), queries.cards_of(user, node)
    known = spine.names(gpus, running)
    found = queries.findings_here(user, node)
    events = list(events_of_node(user, node)[:NEWEST])
    return NodePage(
        examined=_examined(watch, known, queued_visit(user, node)),
        findings=tuple(finding_row(each, running) for each in found),
        cards=cards.rows(gpus, running, readings, _measured(watch)),
        leases=leases.rows(running, readings),
        events=history.events(events, queries.names_of(event.actor_id for event in events)),
        turns=history.turns(changes_of(user, node)[:NEWEST], known),
        enrolling=node.state == NodeState.ENROLLING,
    )


def _measured(watch: Watch | None) -> Mapping[str, Any]:
    """What the newest visit read on each card, by UUID."""
    found = watch.facts.get("measured") if watch else None
    return found if isinstance(found, Mapping) else {}


def _examined(watch: Watch | None, known: spine.Names, asked: VisitRequest | None) -> Examined:
    if watch is None:
        return Examined(None, True, wording.verdict("unknown"), "", asked, (), (), ())
    stale = queries.is_stale(watch.examined_at)
    return Examined(
        at=watch.examined_at,
        stale=stale,
        verdict=wording.verdict("unknown" if stale else watch.verdict),
        layer=wording.layer(watch.failing_layer),
        asked=asked,
        facts=_facts(watch.facts),
        ladder=spine.ladder(watch.readings, known, watch.failing_layer),
        beside=spine.beside(watch.readings, known, watch.failing_layer),
    )


def _facts(facts: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (wording.fact(name), str(facts[name])) for name in ("driver", "kernel") if facts.get(name)
    )
