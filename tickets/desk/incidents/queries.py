"""What an incident's page reads."""

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from fleet.changes.models import Event
from fleet.people.models import User
from tickets.incidents.models import Incident
from tickets.incidents.queries import incidents

KINDS: dict[str, str | Promise] = {
    "incident_opened": _("Found"),
    "incident_taken": _("Taken"),
    "incident_snoozed": _("Snoozed"),
    "incident_woken": _("Woken"),
    "incident_told_all": _("All affected customers told"),
    "incident_recovered": _("Recovered"),
    "incident_reopened": _("Came back"),
}


def incident_or_404(user: User, pk: int) -> Incident:
    """The incident with all that its page shows, or 404 for who may not see it."""
    rows = incidents(user).select_related(
        "node__region", "owner", "parent", "finding__gpu", "finding__path", "finding__lease"
    )
    return get_object_or_404(rows, pk=pk)


def course(incident: Incident) -> QuerySet[Event]:
    """What happened to it, the newest first."""
    rows = Event.objects.filter(node_id=incident.node_id, kind__in=KINDS)
    return rows.filter(data__incident=incident.pk).order_by("-at", "-pk")[:50]


def said(kind: str) -> str:
    """What kind of thing happened."""
    return str(KINDS.get(kind, kind))
