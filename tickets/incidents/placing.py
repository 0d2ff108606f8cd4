"""What staff say of an incident's place and end: merge, split, close, reopen."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import announce, move_state, record
from fleet.people.models import User
from tickets.incidents.models import Incident
from tickets.incidents.recover import is_clear
from tickets.incidents.states import INCIDENT_MOVES, LIVE, IncidentState, Scope


@transaction.atomic
def merge(incident: Incident, *, into: Incident, actor: User) -> Incident:
    """Put an incident under another one, where no rule takes it away again.

    Raises Refused for itself, for one that is over, for another world, and for a circle.
    """
    _live(incident)
    _live(into)
    if incident.pk == into.pk:
        raise Refused({"into": _("An incident cannot go into itself.")})
    if incident.node.provider.simulated != into.node.provider.simulated:
        raise Refused({"into": _("There is no such incident. Give its number, such as 12.")})
    if into.parent_id is not None:
        above = {"number": f"!{into.parent_id}"}
        raise Refused({"into": _("That one is part of %(number)s itself. Choose that.") % above})
    if incident.scope != Scope.TARGET or incident.children.filter(state__in=LIVE).exists():
        raise Refused({"into": _("Others are part of this one. Split them off first.")})
    _place(incident, into)
    return _moved(incident, "incident_merged", actor, into)


@transaction.atomic
def split(incident: Incident, *, actor: User) -> Incident:
    """Take an incident out of what it is part of; no rule puts it back."""
    above = incident.parent
    if above is None:
        raise Refused(_("This incident is part of no other."))
    _place(incident, None)
    return _moved(incident, "incident_split", actor, above)


@transaction.atomic
def close(incident: Incident, *, actor: User) -> Incident:
    """Say that an incident is over that no measured fault holds open any more."""
    _live(incident)
    if not is_clear(incident) or incident.scope != Scope.TARGET:
        raise Refused(_("The fault is still measured. It ends by itself when all is clear."))
    move_state(incident, IncidentState.RECOVERED, INCIDENT_MOVES)
    Incident.objects.filter(pk=incident.pk).update(recovered_at=timezone.now(), snoozed_until=None)
    return _moved(incident, "incident_closed", actor)


@transaction.atomic
def reopen(incident: Incident, *, actor: User) -> Incident:
    """Work on it again although nothing is measured; a person closes it."""
    if incident.state != IncidentState.RECOVERED:
        raise Refused(_("This incident is open."))
    same = {"node": incident.node_id, "code": incident.code, "target": incident.target}
    if Incident.objects.filter(**same, state__in=LIVE).exists():
        raise Refused(_("The same fault has a newer incident that is open. Work on that one."))
    move_state(incident, IncidentState.OPEN, INCIDENT_MOVES)
    Incident.objects.filter(pk=incident.pk).update(recovered_at=None, parent=None, owner=actor)
    return _moved(incident, "incident_reopened", actor)


def _live(incident: Incident) -> None:
    if incident.state not in LIVE:
        raise Refused(_("This incident is over."))


def _place(incident: Incident, above: Incident | None) -> None:
    """By a conditional UPDATE: of two people who move it at once, the second is told."""
    rows = Incident.objects.filter(pk=incident.pk, parent=incident.parent)
    if not rows.update(parent=above, pinned=True):
        raise Refused(_("Somebody changed this a moment ago. Load the page again."))


def _moved(incident: Incident, kind: str, actor: User, other: Incident | None = None) -> Incident:
    data = {"incident": incident.pk} | ({"other": other.pk} if other else {})
    record(kind=kind, actor=actor, node=incident.node, data=data)
    numbers = [incident.pk, *([other.pk] if other else [])]
    announce("board", *(f"incident:{pk}" for pk in numbers))
    incident.refresh_from_db()
    return incident
