"""One row for each ticket of a month: its clocks as of the report. Read in portions, so that a year
of a large fleet needs little memory."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from diagnostics.catalogue.load import FAULTS
from tickets.cases.facts import facts_of, name
from tickets.cases.models import Ticket
from tickets.cases.states import TicketState
from tickets.reports.period import Month
from tickets.sla.attribution import Counted
from tickets.sla.case import Case
from tickets.sla.outcome import Outcome, is_proactive
from tickets.sla.replay import replay

AT_ONCE = 400


@dataclass(frozen=True, slots=True)
class Row:
    """A ticket in a month. `layer` and `provider` are those of its fault and its node."""

    ticket: Ticket
    case: Case
    response: Outcome
    resolution: Outcome
    layer: str
    provider: str

    @property
    def proactive(self) -> bool:
        """The customer heard from us first."""
        return is_proactive(self.case, self.response)

    def counted(self, outcome: Outcome) -> Counted:
        """One of its clocks, for counting."""
        case = self.case
        customer = self.ticket.customer.name
        return Counted(str(self.ticket.pk), customer, case.klass, case.start, outcome)

    def belongs(self, month: Month) -> bool:
        """Whether the month counts or lists it at all."""
        return any(
            _touches(self.case, outcome, month) for outcome in (self.response, self.resolution)
        )


def _touches(case: Case, outcome: Outcome, month: Month) -> bool:
    period, decided = month.period, outcome.decided_at
    in_flight = case.start < period.end and (decided is None or decided >= period.end)
    late = outcome.state == "breached" and decided is not None and decided < period.end
    lasted = outcome.running or (
        outcome.stopped_at is not None and outcome.stopped_at >= period.begin
    )
    return in_flight or period.holds(decided) or (late and lasted)


def of_month(tickets: QuerySet[Ticket], month: Month) -> QuerySet[Ticket]:
    """Those the month may count: begun before its end, and not over before it began."""
    over = Q(state=TicketState.CLOSED, resolution_at__lt=month.begin)
    return tickets.filter(start_at__lt=month.end).exclude(over)


def rows(tickets: QuerySet[Ticket], month: Month) -> Iterator[Row]:
    """The rows of these tickets, by number. Tickets that were merged are counted together."""
    joined = tickets.select_related("customer", "lease__node__provider").order_by("pk")
    last = 0
    while portion := list(joined.filter(pk__gt=last)[:AT_ONCE]):
        last = portion[-1].pk
        yield from _portion(portion, month)


def _portion(portion: Sequence[Ticket], month: Month) -> Iterator[Row]:
    facts = facts_of(_with_merged(portion))
    found = replay(facts, (), (), month.period.as_of, originals=False).found
    for ticket in portion:
        reckoned = found.get(name(ticket.pk))
        if reckoned is None:
            continue
        fault, lease = FAULTS.get(ticket.code), ticket.lease
        row = Row(
            ticket=ticket,
            case=reckoned.case,
            response=reckoned.response,
            resolution=reckoned.resolution,
            layer=fault.layer if fault else "",
            provider=lease.node.provider.name if lease else "",
        )
        if row.belongs(month):
            yield row


def _with_merged(portion: Sequence[Ticket]) -> list[Ticket]:
    """These and every ticket that merges join to one of them."""
    known = {ticket.pk: ticket for ticket in portion}
    fresh = set(known)
    while fresh:
        joined = Ticket.objects.filter(Q(merged_into__in=fresh) | Q(absorbed__in=fresh))
        more = {ticket.pk: ticket for ticket in joined if ticket.pk not in known}
        known |= more
        fresh = set(more)
    return list(known.values())
