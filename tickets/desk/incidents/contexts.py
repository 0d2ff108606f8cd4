"""An incident as its page shows it: what, since when, until when, whom it hurts, what next."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from fleet.changes.models import Event
from fleet.people.models import User
from tickets import clocks, wording
from tickets.desk.incidents import queries
from tickets.desk.queries import names_of
from tickets.incidents.models import Hit, Incident
from tickets.incidents.queries import hits_of
from tickets.incidents.states import LIVE, IncidentState
from tickets.wording import Sign

PARTS = ("head", "hits", "course")


@dataclass(frozen=True, slots=True)
class HitRow:
    """A customer it hurts, and their ticket with its soonest clock."""

    customer: str
    order: str
    lease_url: str
    ticket: int
    ticket_url: str
    state: Sign
    due: datetime | None
    live: bool


@dataclass(frozen=True, slots=True)
class Step:
    """What happened, in words."""

    at: datetime
    what: str
    who: str


@dataclass(frozen=True, slots=True)
class IncidentPage:
    """What changes on the page by itself."""

    id: int
    title: str
    state: str
    severity: Sign
    layer: str
    target: str
    reading: str
    next: str
    node: str
    node_url: str
    since: datetime
    recovered_at: datetime | None
    due: datetime | None
    owner: str
    episodes: int
    snoozed_until: datetime | None
    snooze_reason: str
    parent: str
    parent_url: str
    hits: list[HitRow]
    course: list[Step]
    live: bool
    snoozed: bool


def page(user: User, incident: Incident) -> IncidentPage:
    """`incident` as `queries.incident_or_404` gives it."""
    fault, finding = wording.fault_text(incident.code), incident.finding
    hits = [_hit(each) for each in hits_of(incident)]
    dues = [row.due for row in hits if row.live and row.due is not None]
    parent = incident.parent
    return IncidentPage(
        id=incident.pk,
        title=fault.title,
        state=incident.get_state_display(),
        severity=wording.severity(finding.severity if finding else ""),
        layer=wording.layer(finding.layer) if finding else "",
        target=wording.found_on(finding) if finding else wording.target_name(incident.target),
        reading=wording.sentence(finding.reason, finding.values) if finding else "",
        next=fault.staff,
        node=incident.node.name,
        node_url=reverse("node", args=[incident.node_id]),
        since=incident.opened_at,
        recovered_at=incident.recovered_at,
        due=min(dues, default=None),
        owner=str(incident.owner) if incident.owner else "",
        episodes=incident.episodes,
        snoozed_until=incident.snoozed_until,
        snooze_reason=incident.snooze_reason,
        parent=wording.fault_text(parent.code).title if parent else "",
        parent_url=reverse("incident", args=[parent.pk]) if parent else "",
        hits=hits,
        course=_course(queries.course(incident)),
        live=incident.state in LIVE,
        snoozed=incident.state == IncidentState.SNOOZED,
    )


def _hit(hit: Hit) -> HitRow:
    ticket = hit.ticket
    return HitRow(
        customer=hit.lease.customer.name,
        order=hit.lease.order_id,
        lease_url=reverse("lease", args=[hit.lease_id]),
        ticket=ticket.pk,
        ticket_url=reverse("ticket", args=[ticket.pk]),
        state=clocks.state(ticket),
        due=ticket.soonest_at,
        live=ticket.is_live,
    )


def _course(events: Iterable[Event]) -> list[Step]:
    rows = list(events)
    names = names_of(row.actor_id for row in rows)
    return [Step(row.at, queries.said(row.kind), names.get(row.actor_id or 0, "")) for row in rows]
