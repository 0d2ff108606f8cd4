"""What staff do with an incident."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import announce, move_state, record
from fleet.people.models import User
from tickets.cases import services as cases
from tickets.cases.models import Ticket
from tickets.incidents.models import Incident
from tickets.incidents.queries import hits_of
from tickets.incidents.states import INCIDENT_MOVES, LIVE, IncidentState

LONGEST_SNOOZE = timedelta(days=7)


@transaction.atomic
def take(incident: Incident, *, actor: User) -> Incident:
    """I have it: acknowledges the incident and its tickets. No answer to a customer.

    Raises Refused when it is over, or somebody else took it a moment ago.
    """
    if incident.state not in LIVE:
        raise Refused(_("This incident is over."))
    rows = Incident.objects.filter(pk=incident.pk, owner=incident.owner)
    first = incident.acknowledged_at or timezone.now()
    if not rows.update(owner=actor, acknowledged_at=first):
        raise Refused(_("Somebody else took it a moment ago. Load the page again."))
    for hit in hits_of(incident):
        if hit.ticket.is_live and hit.ticket.assignee_id is None:
            cases.acknowledge(hit.ticket, actor=actor)
            cases.assign(hit.ticket, to=actor, actor=actor)
    return _told(incident, "incident_taken", actor)


@transaction.atomic
def snooze(incident: Incident, *, until: datetime, reason: str, actor: User) -> Incident:
    """Off the top of the board until a time, with a reason; customers' clocks run on."""
    now = timezone.now()
    if not now < until <= now + LONGEST_SNOOZE:
        raise Refused({"until": _("Choose a time within the next seven days.")})
    if not reason.strip():
        raise Refused({"reason": _("Give a reason.")})
    if incident.state == IncidentState.SNOOZED:
        raise Refused(_("This incident is snoozed already. Wake it first."))
    move_state(incident, IncidentState.SNOOZED, INCIDENT_MOVES)
    changes = {"snoozed_until": until, "snooze_reason": reason.strip()[:200]}
    Incident.objects.filter(pk=incident.pk).update(**changes)
    return _told(incident, "incident_snoozed", actor)


@transaction.atomic
def wake(incident: Incident, *, actor: User | None) -> Incident:
    """Back to the top of the board."""
    move_state(incident, IncidentState.OPEN, INCIDENT_MOVES)
    Incident.objects.filter(pk=incident.pk).update(snoozed_until=None, snooze_reason="")
    return _told(incident, "incident_woken", actor)


def wake_late(now: datetime) -> int:
    """Wake what has slept long enough; returns how many."""
    late = Incident.objects.filter(state=IncidentState.SNOOZED, snoozed_until__lte=now)
    rows = list(late.select_related("node")[:50])
    for row in rows:
        wake(row, actor=None)
    return len(rows)


@transaction.atomic
def tell_all(incident: Incident, *, body: str, actor: User) -> list[Ticket]:
    """One text to every customer it hurts: an answer on each of their live tickets."""
    tickets = [hit.ticket for hit in hits_of(incident) if hit.ticket.is_live]
    if not tickets:
        raise Refused(_("No customer waits for word of this incident."))
    for ticket in tickets:
        cases.answer(ticket, body=body, actor=actor)
    _told(incident, "incident_told_all", actor)
    return tickets


def _told(incident: Incident, kind: str, actor: User | None) -> Incident:
    record(kind=kind, actor=actor, node=incident.node, data={"incident": incident.pk})
    announce("board", f"incident:{incident.pk}")
    incident.refresh_from_db()
    return incident
