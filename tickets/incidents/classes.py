"""The class that the first examination finds (S24): by rule only, as of the ticket's creation."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import OuterRef, Q, QuerySet, Subquery

from diagnostics.catalogue.load import FAULTS
from diagnostics.examine.models import Examination
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.changes.errors import Refused
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.states import Author
from tickets.ordering import ORDERS

PORT = "port"
# The policy's `provisional_s` decides; this only says when nobody need wait any longer.
LONGEST = timedelta(minutes=10)


def waiting() -> list[Ticket]:
    """Tickets whose class is provisional, with the end of the first visit since they began."""
    visits = Examination.objects.filter(
        node=OuterRef("lease__node"), ended_at__gt=OuterRef("start_at")
    )
    first = Subquery(visits.order_by("ended_at").values("ended_at")[:1])
    rows = Ticket.objects.filter(provisional=True).select_related("lease__node", "customer")
    return list(rows.annotate(seen_at=first).order_by("pk")[:100])


def settle(ticket: Ticket, now: datetime) -> None:
    """Set the class once the host was examined; give up when that comes too late."""
    seen_at: datetime | None = getattr(ticket, "seen_at", None)
    if seen_at is None and now - ticket.start_at < LONGEST:
        return
    if not Ticket.objects.filter(pk=ticket.pk, provisional=True).update(provisional=False):
        return
    root = None if seen_at is None else decisive(_roots(ticket))
    if root is None or not (klass := FAULTS[root.code].sla_class):
        return
    if root.code != ticket.code:
        Ticket.objects.filter(pk=ticket.pk).update(code=root.code)
    data = {"to": klass, "finding": root.pk, "code": root.code}
    try:
        services.act(ticket, "class_set", author=Author.BOT, at=seen_at, data=data)
    except Refused:  # the contract lacks the class, or this came too late for it
        return


def _roots(ticket: Ticket) -> QuerySet[Finding]:
    """Open faults of the instance that nothing else explains."""
    lease = ticket.lease
    if lease is None:
        return Finding.objects.none()
    here = Q(lease=lease) | Q(gpu__in=lease.gpus.all()) | Q(node=lease.node_id, target="node")
    loose = Q(root=None) | ~Q(root__state=FindingState.OPEN)
    rows = Finding.objects.filter(here, loose, state=FindingState.OPEN)
    return rows.order_by("opened_at", "pk").distinct()


def decisive(roots: Iterable[Finding]) -> Finding | None:
    """The fault that the class follows. A port fault decides only if the port is all that is
    wrong: the host answers, and what runs there runs."""
    known = [each for each in roots if each.code in FAULTS and FAULTS[each.code].sla_class]
    worse = [each for each in known if FAULTS[each.code].sla_class != PORT]
    return min(worse or known, key=_weight, default=None)


def _weight(finding: Finding) -> int:
    order = ORDERS["severity"]
    return order.index(finding.severity) if finding.severity in order else len(order)
