"""When our own view fails: one incident about ourselves, and no customer is told of a host."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet

from diagnostics.examine.models import Blackout
from diagnostics.findings.models import Finding
from fleet.changes.services import announce, move_state, record
from tickets.incidents import telling
from tickets.incidents.hits import leases_hit
from tickets.incidents.models import BlackoutReceipt, Incident
from tickets.incidents.states import INCIDENT_MOVES, LIVE, IncidentState, Scope
from tickets.incidents.windows import FLAP, SETTLING

CODE = "own_view_lost"
SILENT = "node_unreachable"
# Hosts that were accused just before we began to doubt ourselves.
BEFORE = timedelta(seconds=90)


def unsettled(now: datetime) -> Q:
    """Findings to leave for later: silent hosts that may turn out to be many."""
    young = now - SETTLING
    own = Q(code=SILENT, opened_at__gt=young)
    explained = Q(root__code=SILENT, root__opened_at__gt=young, root__state="open")
    return own | explained


def lasting(simulated: bool) -> Incident | None:
    """The incident about ourselves that lasts in this world."""
    rows = Incident.objects.filter(scope=Scope.OURSELVES, target=_target(simulated))
    return rows.filter(state__in=LIVE).first()


def _target(simulated: bool) -> str:
    return "ourselves:drill" if simulated else "ourselves"


def new() -> list[Blackout]:
    """Blackouts that have not been taken in."""
    return list(Blackout.objects.filter(receipt=None).select_related("node")[:20])


def doubt(blackout: Blackout, now: datetime) -> None:
    """Open the incident, or open it again if it ended a moment ago."""
    incident = lasting(blackout.simulated) or _again(blackout) or _make(blackout)
    BlackoutReceipt.objects.get_or_create(blackout=blackout, defaults={"incident": incident})
    accused = Incident.objects.filter(
        code=SILENT,
        scope=Scope.TARGET,
        state__in=LIVE,
        pinned=False,
        node__provider__simulated=blackout.simulated,
        opened_at__gte=blackout.opened_at - BEFORE,
    )
    accused.update(parent=incident)
    announce("board", "fleet", f"incident:{incident.pk}")


def _again(blackout: Blackout) -> Incident | None:
    rows = Incident.objects.filter(scope=Scope.OURSELVES, target=_target(blackout.simulated))
    last = rows.filter(recovered_at__gte=blackout.opened_at - FLAP).order_by("-recovered_at")
    incident = last.first()
    if incident is None:
        return None
    move_state(incident, IncidentState.OPEN, INCIDENT_MOVES)
    Incident.objects.filter(pk=incident.pk).update(recovered_at=None, episodes=F("episodes") + 1)
    record(kind="incident_reopened", node=blackout.node, data={"incident": incident.pk})
    return incident


def _make(blackout: Blackout) -> Incident:
    try:
        with transaction.atomic():
            made = Incident.objects.create(
                node=blackout.node,
                code=CODE,
                scope=Scope.OURSELVES,
                target=_target(blackout.simulated),
                opened_at=blackout.opened_at,
            )
    except IntegrityError:  # another process was quicker
        found = lasting(blackout.simulated)
        if found is None:
            raise
        return found
    record(kind="incident_opened", node=blackout.node, data={"incident": made.pk})
    return made


def over() -> list[BlackoutReceipt]:
    """Blackouts that ended, whose end has not been taken in."""
    rows = BlackoutReceipt.objects.filter(cleared=False).exclude(blackout__cleared_at=None)
    return list(rows.select_related("blackout", "incident__node")[:20])


def see_again(receipt: BlackoutReceipt, now: datetime) -> None:
    """We see again: the incident ends, and hosts that are still silent are so by themselves."""
    if not BlackoutReceipt.objects.filter(pk=receipt.pk, cleared=False).update(cleared=True):
        return
    incident = receipt.incident
    at = receipt.blackout.cleared_at or now
    if incident.state in LIVE:
        move_state(incident, IncidentState.RECOVERED, INCIDENT_MOVES)
        Incident.objects.filter(pk=incident.pk).update(recovered_at=at)
        record(kind="incident_recovered", node=incident.node, data={"incident": incident.pk}, at=at)
    for child in _still_silent(incident):
        Incident.objects.filter(pk=child.pk).update(parent=None)
        if child.finding is not None:
            accuse(child, child.finding, now)
    announce("board", "fleet", f"incident:{incident.pk}")


def _still_silent(incident: Incident) -> QuerySet[Incident]:
    rows = incident.children.filter(state__in=LIVE, pinned=False)
    return rows.select_related("finding__node__provider")


def accuse(incident: Incident, finding: Finding, now: datetime) -> None:
    """Tell the customers whom this fault hurts."""
    for lease in leases_hit(finding):
        telling.tell(incident, lease, finding, now)
