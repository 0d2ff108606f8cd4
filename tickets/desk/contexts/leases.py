"""Leases and their ports, as the node page and the lease page show them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import timezone

from fleet.leases.models import AccessPath, Lease
from tickets import ports, wording
from tickets.desk.contexts.spine import Stored
from tickets.wording import Sign

# The order system speaks every 10 minutes; what it said longer ago no longer holds.
CONFIRMED_FOR = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class PortRow:
    """One published port with the newest look at it from outside."""

    kind: str
    address: str
    command: str
    url: str
    hops: str
    verdict: Sign
    said: str


@dataclass(frozen=True, slots=True)
class LeaseRow:
    """A lease in the list of a node."""

    id: int
    order: str
    url: str
    customer: str
    kind: str
    state: str
    cards: int
    image: str
    container: str
    confirmed_at: datetime | None
    confirmed: bool
    ports: tuple[PortRow, ...]


def rows(leases: Iterable[Lease], readings: Sequence[Stored]) -> tuple[LeaseRow, ...]:
    """Every lease of a node; `readings` are the node's newest."""
    return tuple(_row(lease, readings) for lease in leases)


def _row(lease: Lease, readings: Sequence[Stored]) -> LeaseRow:
    return LeaseRow(
        id=lease.pk,
        order=lease.order_id,
        url=reverse("lease", args=[lease.pk]),
        customer=lease.customer.name,
        kind=lease.get_kind_display(),
        state=lease.get_state_display(),
        cards=len(lease.gpus.all()),
        image=lease.image,
        container=lease.container,
        confirmed_at=lease.confirmed_at,
        confirmed=is_confirmed(lease),
        ports=tuple(port(path, readings) for path in lease.paths.all()),
    )


def is_confirmed(lease: Lease) -> bool:
    """Whether the order system has spoken of this lease lately."""
    return lease.confirmed_at is not None and timezone.now() - lease.confirmed_at <= CONFIRMED_FOR


def port(path: AccessPath, readings: Sequence[Stored]) -> PortRow:
    """A port; without a reading of now its verdict is unknown."""
    reading = next((each for each in readings if each["target"] == f"path:{path.pk}"), None)
    dial = ports.dial(path)
    return PortRow(
        kind=dial.kind,
        address=str(path),
        command=dial.command,
        url=dial.url,
        hops=_hops(path),
        verdict=wording.verdict(reading["verdict"] if reading else "unknown"),
        said=wording.sentence(reading["reason"], reading["values"]) if reading else "",
    )


def _hops(path: AccessPath) -> str:
    """`gw1 → 32022 → 22`: gateway, port of the node, port of the container."""
    hops = (path.gateway, str(path.node_port), str(path.container_port or ""))
    return " → ".join(hop for hop in hops if hop)
