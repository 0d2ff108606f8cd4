"""An incident as its page shows it: what, since when, until when, whom it hurts, what next."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from fleet.changes.models import Event
from fleet.people.models import User
from tickets import clocks, naming, wording
from tickets.desk.incidents import queries, triage
from tickets.desk.queries import names_of
from tickets.incidents.models import Hit, Incident
from tickets.incidents.queries import hits_of, live_members
from tickets.incidents.states import LIVE, IncidentState, Scope
from tickets.wording import Sign

PARTS = ("head", "triage", "members", "hits", "course")
MOST_MEMBERS = 100


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
class Member:
    """An incident that is part of this one."""

    id: int
    url: str
    title: str
    node: str
    node_url: str
    target: str
    since: datetime


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
    place: str
    together: str
    members: list[Member]
    triage: triage.Shown
    hits: list[HitRow]
    course: list[Step]
    live: bool
    snoozed: bool


def page(user: User, incident: Incident) -> IncidentPage:
    """`incident` as `queries.incident_or_404` gives it."""
    fault, finding = naming.fault_of(incident), incident.finding
    hits = [_hit(each) for each in hits_of(incident)]
    dues = [row.due for row in hits if row.live and row.due is not None]
    parent, live = incident.parent, incident.state in LIVE
    members = [_member(row) for row in live_members(incident)[:MOST_MEMBERS]]
    target = _target(incident)
    return IncidentPage(
        id=incident.pk,
        title=fault.title,
        state=incident.get_state_display(),
        severity=wording.severity(finding.severity if finding else ""),
        layer=wording.layer(finding.layer) if finding else "",
        target=target,
        reading=_reading(incident, fault.summary),
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
        parent=naming.title(parent) if parent else "",
        parent_url=reverse("incident", args=[parent.pk]) if parent else "",
        place=naming.where(incident),
        together=naming.together(len(members)) if members else "",
        members=members,
        triage=triage.shown(incident, fault.title, target),
        hits=hits,
        course=_course(queries.course(incident)),
        live=live,
        snoozed=incident.state == IncidentState.SNOOZED,
    )


def _target(incident: Incident) -> str:
    """The card, port or host it is about; a shared cause is about a place."""
    if incident.scope != Scope.TARGET:
        return naming.where(incident)
    if incident.finding is not None:
        return wording.found_on(incident.finding)
    return wording.target_name(incident.target)


def _reading(incident: Incident, summary: str) -> str:
    """The reading that decided; of our own failed view, how many fell silent."""
    if incident.scope == Scope.OURSELVES:
        return queries.how_many_fell_silent(incident) or summary
    finding = incident.finding
    return wording.sentence(finding.reason, finding.values) if finding else ""


def _member(row: Incident) -> Member:
    return Member(
        id=row.pk,
        url=reverse("incident", args=[row.pk]),
        title=naming.title(row),
        node=row.node.name,
        node_url=reverse("node", args=[row.node_id]),
        target=_target(row),
        since=row.opened_at,
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
