"""Reads of the examinations: by node for pages, and the state of the sweep for health checks."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone

from diagnostics.examine.claim import VISITED
from diagnostics.examine.models import Examination, ReadingChange, VisitRequest, Watch
from diagnostics.examine.record import CLAIM_S
from diagnostics.examine.states import VisitState
from fleet import access
from fleet.access import Anyone
from fleet.inventory.models import Node

OVERDUE_S = 150.0  # two periods and the time another examiner needs to step in
CLAIM_TOO_OLD_S = 90.0


@dataclass(frozen=True, slots=True)
class SweepState:
    """Ages in seconds; None where there is nothing to measure.

    `oldest_s` is the age of the least recently examined node, `newest_s` of the last visit of
    all, `claim_s` of the oldest claim that was never settled; `overdue` counts nodes not examined
    for 150 s, `never` those not examined yet.
    """

    nodes: int
    never: int
    overdue: int
    oldest_s: float | None
    newest_s: float | None
    claim_s: float | None
    queued: int

    @property
    def healthy(self) -> bool:
        """No claim older than 90 s and no node overdue."""
        return not self.overdue and (self.claim_s or 0.0) <= CLAIM_TOO_OLD_S


def sweep_state() -> SweepState:
    """How the sweep stands, over every node in service (three queries)."""
    now = timezone.now()
    rows = Watch.objects.filter(node__state__in=VISITED).aggregate(
        watched=Count("pk"),
        never=Count("pk", filter=Q(examined_at=None)),
        overdue=Count("pk", filter=Q(examined_at__lt=now - timedelta(seconds=OVERDUE_S))),
        oldest=Min("examined_at"),
        newest=Max("examined_at"),
        claim=Min("claimed_until", filter=~Q(token="")),
    )
    nodes = Node.objects.filter(state__in=VISITED).count()
    claim_s = _age(rows["claim"], now)
    return SweepState(
        nodes=nodes,
        never=rows["never"] + nodes - rows["watched"],
        overdue=rows["overdue"],
        oldest_s=_age(rows["oldest"], now),
        newest_s=_age(rows["newest"], now),
        claim_s=None if claim_s is None else claim_s + CLAIM_S,
        queued=VisitRequest.objects.filter(state=VisitState.QUEUED).count(),
    )


def _age(at: datetime | None, now: datetime) -> float | None:
    return None if at is None else (now - at).total_seconds()


def watches(user: Anyone) -> QuerySet[Watch]:
    """The newest readings of every node this person may see."""
    return Watch.objects.filter(node__in=access.nodes(user).values("pk"))


def examinations_of(user: Anyone, node: Node) -> QuerySet[Examination]:
    """The visits to a node, newest first."""
    rows = Examination.objects.filter(node__in=access.nodes(user).values("pk"), node=node)
    return rows.order_by("-ended_at")


def changes_of(user: Anyone, node: Node) -> QuerySet[ReadingChange]:
    """Verdicts that changed on a node, newest first."""
    rows = ReadingChange.objects.filter(node__in=access.nodes(user).values("pk"), node=node)
    return rows.order_by("-at")


def queued_visit(user: Anyone, node: Node) -> VisitRequest | None:
    """The visit somebody asked for and that has not been made yet."""
    rows = VisitRequest.objects.filter(node__in=access.nodes(user).values("pk"), node=node)
    return rows.filter(state=VisitState.QUEUED).first()
