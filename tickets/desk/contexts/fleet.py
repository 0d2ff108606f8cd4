"""The rows of the fleet list."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from fleet.inventory.models import Node
from tickets import wording
from tickets.desk.contexts.board import running
from tickets.wording import Sign


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node in the list."""

    id: int
    name: str
    url: str
    provider: str
    region: str
    rack: str
    state: str
    in_service: bool
    verdict: Sign
    layer: str
    cards: int
    leases: tuple[tuple[str, str], ...]
    findings: int
    examined_at: datetime | None


def rows(nodes: Iterable[Node]) -> list[NodeRow]:
    """The rows of one page of `queries.fleet`."""
    return [_row(node) for node in nodes]


def _row(node: Node) -> NodeRow:
    watch = getattr(node, "watch", None)
    now = getattr(node, "now", "unknown")
    return NodeRow(
        id=node.pk,
        name=node.name,
        url=reverse("node", args=[node.pk]),
        provider=node.provider.name,
        region=node.region.name,
        rack=" · ".join(part for part in (node.rack, node.rack_unit) if part),
        state=node.get_state_display(),
        in_service=node.state == "active",
        verdict=wording.verdict(now),
        layer=wording.layer(watch.failing_layer) if watch and now in {"warn", "fail"} else "",
        cards=len(node.gpus.all()),
        leases=tuple(
            (lease.customer.name, reverse("lease", args=[lease.pk])) for lease in running(node)
        ),
        findings=getattr(node, "findings_open", 0),
        examined_at=watch.examined_at if watch else None,
    )
