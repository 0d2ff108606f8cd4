"""Rows of tickets as the clocks read them, and back: which ticket's row says what."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

from tickets.cases.models import Ticket, TicketEvent
from tickets.policies.queries import terms_of
from tickets.policies.terms import instant
from tickets.sla import events
from tickets.sla.policy import Policy

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def moment(at: int) -> datetime:
    """An instant of the clocks as a time of the database."""
    return EPOCH + timedelta(milliseconds=at)


def maybe_moment(at: int | None) -> datetime | None:
    """The same, for an instant that may be none or that lies beyond what a database holds."""
    try:
        return None if at is None else moment(at)
    except OverflowError:
        return None


def name(pk: int) -> str:
    """A number as a name whose order as text is that of the numbers."""
    return f"{pk:019d}"


def facts_of(tickets: Sequence[Ticket]) -> list[events.Ticket]:
    """The tickets with all their events and terms (two queries, however many)."""
    found: dict[int, list[events.Event]] = defaultdict(list)
    for row in TicketEvent.objects.filter(ticket__in=[each.pk for each in tickets]):
        found[row.ticket_id].append(event_of(row))
    terms = terms_of({each.policy_id for each in tickets})
    return [_ticket(each, found[each.pk], terms[each.policy_id]) for each in tickets]


def _ticket(
    ticket: Ticket, happened: Iterable[events.Event], policies: tuple[Policy, ...]
) -> events.Ticket:
    return events.Ticket(
        id=name(ticket.pk),
        customer=name(ticket.customer_id),
        klass=ticket.first_class,
        source=ticket.source,
        events=tuple(happened),
        policies=policies,
    )


def event_of(row: TicketEvent) -> events.Event:
    """One event. Every customer can sign in, so each text is delivered in the portal."""
    data = row.data
    target = data.get("target")
    return events.Event(
        at=instant(row.at),
        kind=row.kind,
        id=name(row.pk),
        author=row.author,
        text="…" if row.worded else "",
        public=row.public,
        channel=row.channel,
        to=data.get("to"),
        on_behalf=data.get("on_behalf", False),
        auto_submitted=data.get("auto_submitted", False),
        logged_at=None if row.logged_at is None else instant(row.logged_at),
        reason=data.get("reason"),
        until=data.get("until"),
        verified=data.get("verified", False),
        target="" if target is None else name(target),
        version=data.get("version", 0),
        by=data.get("by", ""),
    )
