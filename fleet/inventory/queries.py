"""Reads the inventory."""

from django.db.models import Prefetch, QuerySet

from fleet.access import Anyone, nodes
from fleet.inventory.models import Gpu, HostKey, KeyScan, Node
from fleet.inventory.states import HostKeyState


def nodes_seen(user: Anyone) -> QuerySet[Node]:
    """The nodes this person may see with place and cards: two queries for any number."""
    cards = Prefetch("gpus", Gpu.objects.order_by("slot", "pk"))
    return nodes(user).select_related("provider", "region").prefetch_related(cards).order_by("name")


def open_keys(node: Node) -> dict[str, HostKey]:
    """The pinned and the offered key of a node, by state, where there are such."""
    states = [HostKeyState.PINNED, HostKeyState.OFFERED]
    found = HostKey.objects.filter(node=node, state__in=states).select_related("pinned_by")
    return {key.state: key for key in found.order_by("pk")}


def newest_scan(node: Node) -> KeyScan | None:
    """The last look at the node's host key, ended or not."""
    return KeyScan.objects.filter(node=node).order_by("-pk").first()
