"""Reads of incidents, and what a finding's incident says of it on the board."""

from typing import Any

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from fleet import access as fleet_access
from fleet.access import Anyone
from tickets.cases.models import Ticket
from tickets.cases.states import LIVE
from tickets.incidents.models import Hit, Incident, Receipt
from tickets.incidents.states import LIVE as LIVE_INCIDENT


def incidents(user: Anyone) -> QuerySet[Incident]:
    """Staff only, of their world: a customer is told in a ticket."""
    if not fleet_access.is_staff(user):
        return Incident.objects.none()
    return Incident.objects.filter(node__in=fleet_access.nodes(user).values("pk"))


def clocks_of_findings() -> dict[str, Any]:
    """Annotations for findings: `incident`, its `owner`, and the soonest `due` of its tickets."""
    receipt = Receipt.objects.filter(finding=OuterRef("pk"))
    running = Ticket.objects.filter(
        hits__incident__receipts__finding=OuterRef("pk"), state__in=LIVE
    ).order_by(F("soonest_at").asc(nulls_last=True))
    return {
        "incident": Subquery(receipt.values("incident")[:1]),
        "owner": Subquery(receipt.values("incident__owner__name")[:1]),
        "due": Subquery(running.values("soonest_at")[:1]),
    }


def hits_of(incident: Incident) -> list[Hit]:
    """Whom it hurts, also through the incidents under it, the soonest due first, with their
    tickets; each ticket once."""
    rows = Hit.objects.filter(Q(incident=incident) | Q(incident__parent=incident))
    joined = rows.select_related("lease__customer", "ticket__assignee")
    ordered = joined.order_by(F("ticket__soonest_at").asc(nulls_last=True), "pk")
    return list({hit.ticket_id: hit for hit in reversed(ordered)}.values())[::-1]


def live_members(incident: Incident) -> QuerySet[Incident]:
    """The live incidents under this one, with what lists show of them."""
    rows = incident.children.filter(state__in=LIVE_INCIDENT).order_by("opened_at", "pk")
    return rows.select_related("node", "finding__gpu", "finding__path")
