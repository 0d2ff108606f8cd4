"""Reads leases."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Literal

from django.db.models import QuerySet
from django.utils import timezone

from fleet.access import Anyone, leases
from fleet.inventory.models import Node
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState

CONFIRMED_FOR = timedelta(minutes=15)
Confirmation = Literal["confirmed", "unknown"]


def confirmation(lease: Lease, *, now: datetime | None = None) -> Confirmation:
    """Whether the order system said so within 15 minutes; older is `unknown`, not "still true"."""
    said = lease.confirmed_at
    fresh = said is not None and (now or timezone.now()) - said <= CONFIRMED_FOR
    return "confirmed" if fresh else "unknown"


def leases_seen(user: Anyone) -> QuerySet[Lease]:
    """The leases this person may see with all a list shows: three queries for any number."""
    return (
        leases(user)
        .select_related("customer", "node__region", "node__provider", "group")
        .prefetch_related("gpus", "paths")
        .order_by("-starts_at", "-pk")
    )


def running_leases_of_node(user: Anyone, node: Node) -> QuerySet[Lease]:
    """The leases that a fault of this node would hurt."""
    return leases_seen(user).filter(node=node, state=LeaseState.ACTIVE)


def leases_not_listed(order_ids: Collection[str]) -> QuerySet[Lease]:
    """Planned and running leases of the real fleet that the order system no longer lists."""
    kept = Lease.objects.filter(
        state__in=[LeaseState.PLANNED, LeaseState.ACTIVE], customer__simulated=False
    ).order_by("pk")
    listed = set(order_ids)
    missing = [pk for pk, order in kept.values_list("pk", "order_id") if order not in listed]
    return kept.filter(pk__in=missing)
