"""The API's change record: facts, newest first, never changed."""

from datetime import datetime
from typing import Annotated, Any

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Schema
from ninja.pagination import paginate
from pydantic import AfterValidator, AwareDatetime

from fleet import typed
from fleet.access import is_staff
from fleet.changes.models import Event
from fleet.changes.queries import newest_events
from fleet.paging import Pages, wanted
from fleet.people.bearer import Bearer

router = Router(tags=["events"])
Moment = Annotated[AwareDatetime, AfterValidator(typed.moment)]


class EventOut(Schema):
    """A fact: what kind, when, by whom, on what. `data` holds ids, kinds and numbers."""

    id: int
    kind: str
    at: datetime
    actor_id: int | None
    node_id: int | None
    gpu_id: int | None
    lease_id: int | None
    data: dict[str, Any]


class EventFilter(Schema):
    """Only facts like this; `since` and `until` bound when they happened."""

    kind: str | None = None
    node_id: int | None = None
    gpu_id: int | None = None
    lease_id: int | None = None
    since: Moment | None = None
    until: Moment | None = None


LOOKUPS = {"since": "at__gte", "until": "at__lt"}


@router.get("", response=list[EventOut], auth=Bearer("events:read"), summary="List facts")
@paginate(Pages)
def list_events(request: HttpRequest, only: Query[EventFilter]) -> QuerySet[Event]:
    """Scope `events:read`. Staff only: a customer's history is told in words on their pages."""
    asked = wanted(request, only)
    if not is_staff(request.user):
        return Event.objects.none()
    return newest_events(request.user).filter(
        **{LOOKUPS.get(name, name): asked[name] for name in asked}
    )
