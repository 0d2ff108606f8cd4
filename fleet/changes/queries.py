"""Reads the change record."""

from django.db.models import QuerySet

from fleet.access import Anyone, events
from fleet.changes.models import Event
from fleet.inventory.models import Gpu, Node
from fleet.leases.models import Lease


def newest_events(user: Anyone) -> QuerySet[Event]:
    """All this person may see, newest first."""
    return events(user).order_by("-at", "-pk")


def events_of_node(user: Anyone, node: Node) -> QuerySet[Event]:
    """What happened to a node, newest first."""
    return newest_events(user).filter(node_id=node.pk)


def events_of_gpu(user: Anyone, gpu: Gpu) -> QuerySet[Event]:
    """What happened to a card, across the nodes it sat in, newest first."""
    return newest_events(user).filter(gpu_id=gpu.pk)


def events_of_lease(user: Anyone, lease: Lease) -> QuerySet[Event]:
    """What happened to a lease, newest first."""
    return newest_events(user).filter(lease_id=lease.pk)
