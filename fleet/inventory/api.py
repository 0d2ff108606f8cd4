"""The API's nodes: read only; nodes come in by import and enrolment."""

from datetime import datetime

from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from ninja.pagination import paginate

from fleet.inventory.models import Node
from fleet.inventory.queries import nodes_seen
from fleet.inventory.states import GpuState, NodeState
from fleet.paging import Pages, wanted
from fleet.people.bearer import Bearer

router = Router(tags=["nodes"])


class GpuOut(Schema):
    """A card, known by its UUID."""

    id: int
    uuid: str
    state: GpuState
    model: str
    slot: str
    pci_bus_id: str
    memory_mib: int | None
    power_limit_w: int | None
    pcie_width: int | None
    vbios: str


class NodeOut(Schema):
    """A rented host with its cards. Memory and disk in GiB, power supply in watts."""

    id: int
    name: str
    state: NodeState
    provider: str
    region: str
    address: str
    port: int
    room: str
    rack: str
    rack_unit: str
    pdu: str
    circuit: str
    uplink: str
    asset_tag: str
    psu_watts: int | None
    cpu_model: str
    cpu_cores: int | None
    ram_gib: int | None
    disk_gib: int | None
    created_at: datetime
    gpus: list[GpuOut]

    @staticmethod
    def resolve_provider(node: Node) -> str:
        return node.provider.name

    @staticmethod
    def resolve_region(node: Node) -> str:
        return node.region.code


class NodeFilter(Schema):
    """Only nodes like this; `region` is its code, `provider` its name."""

    state: NodeState | None = None
    region: str | None = None
    provider: str | None = None
    name: str | None = None


LOOKUPS = {"state": "state", "region": "region__code", "provider": "provider__name", "name": "name"}


@router.get("", response=list[NodeOut], auth=Bearer("nodes:read"), summary="List nodes")
@paginate(Pages)
def list_nodes(request: HttpRequest, only: Query[NodeFilter]) -> QuerySet[Node]:
    """Scope `nodes:read`. Staff only: for a customer the list is empty."""
    asked = wanted(request, only)
    return nodes_seen(request.user).filter(**{LOOKUPS[name]: asked[name] for name in asked})


@router.get("/{int:pk}", response=NodeOut, auth=Bearer("nodes:read"), summary="One node")
def get_node(request: HttpRequest, pk: int) -> Node:
    """Scope `nodes:read`."""
    return get_object_or_404(nodes_seen(request.user), pk=pk)
