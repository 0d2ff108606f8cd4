"""My instances: each with its health in words, what to do, and how to dial in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.urls import reverse
from django.utils import timezone

from diagnostics.examine.models import Watch
from diagnostics.findings.models import Finding
from fleet.leases.models import Lease
from tickets import ports
from tickets.health import Health, Told, health, told
from tickets.ports import Dial

STALE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Instance:
    """One lease of the customer."""

    id: int
    order: str
    url: str
    region: str
    state: str
    cards: int
    image: str
    health: Health
    examined_at: datetime | None
    findings: tuple[Told, ...]
    ports: tuple[Dial, ...]


def instance(lease: Lease, found: Sequence[Finding]) -> Instance:
    """`lease` with node, watch, cards and ports joined; `found` its open findings."""
    watch: Watch | None = getattr(lease.node, "watch", None)
    at = watch.examined_at if watch else None
    fresh = at is not None and timezone.now() - at <= STALE
    return Instance(
        id=lease.pk,
        order=lease.order_id,
        url=reverse("lease", args=[lease.pk]),
        region=lease.node.region.name,
        state=lease.get_state_display(),
        cards=len(lease.gpus.all()),
        image=lease.image,
        health=health(lease, found, at, fresh=fresh),
        examined_at=at,
        findings=told(found),
        ports=tuple(ports.dial(path) for path in lease.paths.all()),
    )
