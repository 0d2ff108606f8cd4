"""What an incident's page reads."""

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils.functional import Promise
from django.utils.translation import gettext
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
    "incident_gathered": _("Gathered: faults that came together here"),
    "incident_merged": _("Merged"),
    "incident_split": _("Split off"),
    "incident_closed": _("Closed by hand"),
    "incident_triaged": _("Triage step done"),
}


def incident_or_404(user: User, pk: int) -> Incident:
    """The incident with all that its page shows, or 404 for who may not see it."""
    rows = incidents(user).select_related(
        "node__region",
        "node__provider",
        "owner",
        "parent",
        "finding__gpu",
        "finding__path",
        "finding__lease",
    )
    return get_object_or_404(rows, pk=pk)


def course(incident: Incident) -> QuerySet[Event]:
    """What happened to it, the newest first."""
    rows = Event.objects.filter(node_id=incident.node_id, kind__in=KINDS)
    mine = Q(data__incident=incident.pk) | Q(data__other=incident.pk)
    return rows.filter(mine).order_by("-at", "-pk")[:50]


def how_many_fell_silent(incident: Incident) -> str:
    """`12 of 24 hosts fell silent together`, as our newest doubt counted them."""
    receipt = incident.blackouts.select_related("blackout").order_by("-blackout__opened_at").first()
    if receipt is None or not receipt.blackout.asked:
        return ""
    counted = {"silent": receipt.blackout.silent, "asked": receipt.blackout.asked}
    return gettext("%(silent)d of %(asked)d hosts fell silent together.") % counted


def said(kind: str) -> str:
    """What kind of thing happened."""
    return str(KINDS.get(kind, kind))
