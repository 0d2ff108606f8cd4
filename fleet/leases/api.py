"""The API's leases: read, and kept in step with the order system by its number."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Query, Router, Schema
from ninja.pagination import paginate
from pydantic import AfterValidator, AwareDatetime, ConfigDict, FiniteFloat, StringConstraints

from fleet import typed
from fleet.access import is_ops
from fleet.leases.facts import MOST_PATHS, LeaseFacts, PathFacts
from fleet.leases.models import AccessKind, Lease, LeaseKind
from fleet.leases.queries import confirmation, leases_seen
from fleet.leases.services import upsert_lease
from fleet.leases.states import LeaseState
from fleet.paging import Pages, wanted
from fleet.people.bearer import Bearer

router = Router(tags=["leases"])
Moment = Annotated[AwareDatetime, AfterValidator(typed.moment)]
Port = Annotated[int, Field(ge=1, le=65535)]
Name = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=255, pattern=r"^[^\x00]*$")
]
LimitName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,39}$")]


class PathIn(Schema):
    """A published port: public name:port → gateway (may be none) → node → container."""

    public_host: Name
    public_port: Port
    node_port: Port
    kind: AccessKind = AccessKind.SSH
    container_port: Port | None = None
    gateway: Name = ""


class PathOut(PathIn):
    """A published port we know."""

    id: int


class LeaseIn(Schema):
    """What the order system says. A field left out stays as it is; lists replace the whole set.

    `customer` and `node` are names, `gpus` UUIDs. `confirmed_at` is when the order system said
    so (now, if left out): word older than what we have is ignored.
    """

    model_config = ConfigDict(extra="forbid")

    customer: Name | None = None
    node: Name | None = None
    group: Name | None = None
    gpus: list[Name] | None = Field(None, max_length=64)
    paths: list[PathIn] | None = Field(None, max_length=MOST_PATHS)
    state: LeaseState | None = None
    kind: LeaseKind | None = None
    container: Name | None = None
    image: Name | None = None
    limits: dict[LimitName, int | FiniteFloat | Name] | None = Field(None, max_length=40)
    price: Decimal | None = None
    price_unit: Name | None = None
    starts_at: Moment | None = None
    ends_at: Moment | None = None
    confirmed_at: Moment | None = None


class LeaseOut(Schema):
    """A lease. `confirmation` is `unknown` when the order system has not said so for 15 min."""

    id: int
    order_id: str
    customer: str
    node: str
    region: str
    group: str
    state: LeaseState
    kind: LeaseKind
    container: str
    image: str
    limits: dict[str, Any]
    price: Decimal | None
    price_unit: str
    starts_at: datetime
    ends_at: datetime | None
    confirmed_at: datetime | None
    confirmation: Literal["confirmed", "unknown"]
    gpus: list[str]
    paths: list[PathOut]

    @staticmethod
    def resolve_customer(lease: Lease) -> str:
        return lease.customer.name

    @staticmethod
    def resolve_node(lease: Lease) -> str:
        return lease.node.name

    @staticmethod
    def resolve_region(lease: Lease) -> str:
        return lease.node.region.code

    @staticmethod
    def resolve_group(lease: Lease) -> str:
        return lease.group.name if lease.group else ""

    @staticmethod
    def resolve_gpus(lease: Lease) -> list[str]:
        return [gpu.uuid for gpu in lease.gpus.all()]

    @staticmethod
    def resolve_confirmation(lease: Lease) -> str:
        return confirmation(lease)


class Upserted(Schema):
    """`created`, `updated`, `unchanged`, or `stale`: we had newer word already."""

    outcome: Literal["created", "updated", "unchanged", "stale"]
    changed: list[str]
    lease: LeaseOut


class LeaseFilter(Schema):
    """Only leases like this; `customer` and `node` are names."""

    state: LeaseState | None = None
    customer: str | None = None
    node: str | None = None


LOOKUPS = {"state": "state", "customer": "customer__name", "node": "node__name"}


@router.get("", response=list[LeaseOut], auth=Bearer("leases:read"), summary="List leases")
@paginate(Pages)
def list_leases(request: HttpRequest, only: Query[LeaseFilter]) -> QuerySet[Lease]:
    """Scope `leases:read`. A customer's token sees the customer's own leases."""
    asked = wanted(request, only)
    return leases_seen(request.user).filter(**{LOOKUPS[name]: asked[name] for name in asked})


@router.get("/{order_id}", response=LeaseOut, auth=Bearer("leases:read"), summary="One lease")
def get_lease(request: HttpRequest, order_id: str) -> Lease:
    """Scope `leases:read`. By the order system's number."""
    return get_object_or_404(leases_seen(request.user), order_id=order_id)


@router.put("/{order_id}", response=Upserted, auth=Bearer("leases:write"), summary="Say a lease")
def put_lease(request: HttpRequest, order_id: str, said: LeaseIn) -> dict[str, Any]:
    """Scope `leases:write`, for a token of ops. The same word twice changes nothing."""
    if not is_ops(request.user):
        raise PermissionDenied
    facts, confirmed_at = _facts(said)
    done = upsert_lease(order_id=order_id, confirmed_at=confirmed_at, actor=request.user, **facts)
    lease = leases_seen(request.user).get(pk=done.lease.pk)
    return {"outcome": done.outcome, "changed": sorted(done.changes), "lease": lease}


def _facts(said: LeaseIn) -> tuple[LeaseFacts, datetime | None]:
    """The fields that were sent. Null empties price and end, and says nothing elsewhere."""
    sent = said.dict(exclude_unset=True)
    confirmed_at = sent.pop("confirmed_at", None)
    may_be_empty = {"price", "ends_at"}
    facts = {name: v for name, v in sent.items() if v is not None or name in may_be_empty}
    if "paths" in facts:
        facts["paths"] = [PathFacts(**path) for path in facts["paths"]]
    return LeaseFacts(**facts), confirmed_at  # type: ignore[typeddict-item]
