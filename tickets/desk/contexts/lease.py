"""The lease page: the same facts for staff and for the customer, each in their words."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from diagnostics.examine.models import Watch
from fleet import access
from fleet.leases.models import Lease
from fleet.people import formats
from fleet.people.models import User
from tickets import wording
from tickets.desk import queries
from tickets.desk.contexts import cards, leases
from tickets.health import Health, Told, health, told

PARTS = ("health", "ports", "cards")


@dataclass(frozen=True, slots=True)
class LeasePage:
    """What an examination can change about a lease."""

    staff: bool
    health: Health
    findings: tuple[Told, ...]
    ports: tuple[leases.PortRow, ...]
    cards: tuple[cards.CardRow, ...]
    examined_at: datetime | None


@dataclass(frozen=True, slots=True)
class LeaseHead:
    """What the contract says. `node` and its address are for staff only."""

    id: int
    order: str
    customer: str
    node: str
    node_url: str
    state: str
    confirmed_at: datetime | None
    confirmed: bool
    facts: tuple[tuple[str, str], ...]


def head(user: User, lease: Lease) -> LeaseHead:
    """The part of the page that does not change by examinations."""
    staff = access.is_staff(user)
    facts = {
        wording.fact("kind"): lease.get_kind_display(),
        wording.fact("region"): lease.node.region.name,
        wording.fact("image"): lease.image,
        wording.fact("container"): lease.container if staff else "",
        wording.fact("starts"): formats.moment(lease.starts_at),
        wording.fact("ends"): formats.moment(lease.ends_at) if lease.ends_at else "",
    }
    return LeaseHead(
        id=lease.pk,
        order=lease.order_id,
        customer=lease.customer.name,
        node=lease.node.name if staff else "",
        node_url=reverse("node", args=[lease.node_id]) if staff else "",
        state=lease.get_state_display(),
        confirmed_at=lease.confirmed_at,
        confirmed=leases.is_confirmed(lease),
        facts=tuple((name, value) for name, value in facts.items() if value),
    )


def page(user: User, lease: Lease) -> LeasePage:
    """Read and word what is known of the lease now."""
    watch: Watch | None = getattr(lease.node, "watch", None)
    fresh = watch is not None and not queries.is_stale(watch.examined_at)
    readings = watch.readings if watch and fresh else []
    found = queries.findings_there(user, lease)
    measured = watch.facts.get("measured", {}) if watch and fresh else {}
    paths = list(lease.paths.order_by("kind", "public_port"))
    return LeasePage(
        staff=access.is_staff(user),
        health=health(lease, found, watch.examined_at if watch else None, fresh=fresh),
        findings=told(found),
        ports=tuple(leases.port(path, readings) for path in paths),
        cards=cards.rows(lease.gpus.order_by("slot", "uuid"), [], readings, measured),
        examined_at=watch.examined_at if watch else None,
    )
