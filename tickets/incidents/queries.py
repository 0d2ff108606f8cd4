"""Reads of incidents, and what a finding's incident says of it on the board."""

from collections.abc import Iterable
from typing import Any

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Least

from fleet import access as fleet_access
from fleet.access import Anyone
from fleet.leases.models import Lease
from tickets.cases.models import Ticket
from tickets.cases.states import LIVE
from tickets.incidents.models import Hit, Incident, Receipt
from tickets.incidents.states import LIVE as LIVE_INCIDENT
from tickets.incidents.states import Scope


def incidents(user: Anyone) -> QuerySet[Incident]:
    """Staff only, of their world: a customer is told in a ticket."""
    if not fleet_access.is_staff(user):
        return Incident.objects.none()
    return Incident.objects.filter(node__in=fleet_access.nodes(user).values("pk"))


def clocks_of_findings() -> dict[str, Any]:
    """Annotations for findings: `incident`, its `owner`, and the soonest `due` of its tickets.

    A finding that stands for a shared cause speaks for the whole of it, with its `cause` and how
    many are `together`.
    """
    receipt = Receipt.objects.filter(finding=OuterRef("pk"))
    cause = Incident.objects.filter(finding=OuterRef("pk"), state__in=LIVE_INCIDENT)
    cause = cause.exclude(scope=Scope.TARGET)
    soonest = F("soonest_at").asc(nulls_last=True)
    own = Ticket.objects.filter(hits__incident__receipts__finding=OuterRef("pk"), state__in=LIVE)
    shared = Ticket.objects.filter(
        hits__incident__parent__finding=OuterRef("pk"),
        hits__incident__parent__state__in=LIVE_INCIDENT,
        state__in=LIVE,
    )
    below = Incident.objects.filter(
        parent__finding=OuterRef("pk"), parent__state__in=LIVE_INCIDENT, state__in=LIVE_INCIDENT
    )
    counted = below.order_by().values("parent").annotate(count=Count("pk")).values("count")
    due_shared = Subquery(shared.order_by(soonest).values("soonest_at")[:1])
    due_own = Subquery(own.order_by(soonest).values("soonest_at")[:1])
    return {
        "incident": Coalesce(
            Subquery(cause.values("pk")[:1]),
            Subquery(receipt.values("incident")[:1]),
            output_field=BigIntegerField(),
        ),
        "owner": Coalesce(
            Subquery(cause.values("owner__name")[:1]),
            Subquery(receipt.values("incident__owner__name")[:1]),
        ),
        "cause_scope": Subquery(cause.values("scope")[:1]),
        "cause_place": Subquery(cause.values("place")[:1]),
        "together": Subquery(counted[:1]),
        "due": Least(Coalesce(due_shared, due_own), Coalesce(due_own, due_shared)),
    }


def spoken_for() -> QuerySet[Receipt]:
    """Receipts of findings that the board leaves out: part of a live incident that another finding
    stands for, or of our own failed view."""
    rows = Receipt.objects.filter(incident__parent__state__in=LIVE_INCIDENT)
    return rows.exclude(incident__parent__finding=F("finding"))


def hits_of(incident: Incident) -> list[Hit]:
    """Whom it hurts, also through the incidents under it, the soonest due first, with their
    tickets; each ticket once."""
    rows = Hit.objects.filter(Q(incident=incident) | Q(incident__parent=incident))
    joined = rows.select_related("lease__customer", "ticket__assignee")
    ordered = joined.order_by(F("ticket__soonest_at").asc(nulls_last=True), "pk")
    return list({hit.ticket_id: hit for hit in reversed(ordered)}.values())[::-1]


def doubt(user: Anyone) -> Incident | None:
    """The incident about ourselves, while our own view of this person's world fails."""
    return incidents(user).filter(scope=Scope.OURSELVES, state__in=LIVE_INCIDENT).first()


def leases_of_causes(causes: Iterable[int]) -> dict[int, list[Lease]]:
    """The leases that each of these incidents hurts through those under it (one query)."""
    rows = Hit.objects.filter(incident__parent__in=list(causes))
    joined = rows.select_related("lease__customer", "incident").order_by("pk")
    found: dict[int, dict[int, Lease]] = {}
    for hit in joined:
        found.setdefault(hit.incident.parent_id or 0, {})[hit.lease_id] = hit.lease
    return {pk: list(leases.values()) for pk, leases in found.items()}


def live_members(incident: Incident) -> QuerySet[Incident]:
    """The live incidents under this one, with what lists show of them."""
    rows = incident.children.filter(state__in=LIVE_INCIDENT).order_by("opened_at", "pk")
    return rows.select_related("node", "finding__gpu", "finding__path")
