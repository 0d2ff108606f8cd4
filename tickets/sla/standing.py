"""Start, version and class of a ticket as of creation. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tickets.sla.case import Case, Refusal
from tickets.sla.events import BOT, Event, Key, Ticket, key
from tickets.sla.instants import DAY
from tickets.sla.policy import Policy, in_force

MANAGER = "manager"


def created_at(events: Iterable[Event]) -> int | None:
    """When the ticket was made; the earliest of several deliveries counts."""
    return min((event.at for event in events if event.kind == "created"), default=None)


def start_of(ticket: Ticket, events: Sequence[Event]) -> int | None:
    """When its clocks start; None if it has not been created.

    Alerts and staff open a ticket themselves; everybody else's report counts from its receipt.
    """
    created = created_at(events)
    if created is None or ticket.source in {"alert", "staff"}:
        return created
    received = (event.at for event in events if event.kind == "received")
    return min([created, *received])


def receipt_of(events: Sequence[Event]) -> int | None:
    """When we first had word of it."""
    received = (event.at for event in events if event.kind == "received")
    return min(received, default=created_at(events))


@dataclass(slots=True)
class Standing:
    """The class as of creation, and the event up to which other class changes fall away."""

    klass: str
    marker: Key | None = None
    corrected: bool = False


def open_case(
    ticket: Ticket, events: Sequence[Event], policies: Sequence[Policy], *, correct: bool
) -> Case | None:
    """The ticket at its start; None before it is created. Without `correct` nobody corrected it."""
    start = start_of(ticket, events)
    policy = None if start is None else in_force(policies, start)
    if start is None or policy is None:
        return None
    standing, refused = Standing(ticket.klass), []
    rulings = [event for event in events if event.kind in {"class_set", "corrected"}]
    found = False
    for event in sorted(rulings, key=lambda each: key(each, ticket.id, each.at)):
        if event.kind == "corrected":
            reason = _no_correction(event, start, policy) if correct else "-"
        else:
            reason = _no_class_set(event, start, policy, found=found)
            found = found or not reason
        if not reason:
            _rule(standing, event, key(event, ticket.id, event.at))
        elif reason != "-":
            refused.append(Refusal(event, reason))
    case = Case(ticket, start, policy, standing.klass, standing.marker)
    case.refused += refused
    if standing.corrected:
        case.flags.add("corrected")
    if any(event.kind == "created" and event.known_at > event.at for event in events):
        case.flags.add("backdated")
    return case


def _rule(standing: Standing, event: Event, place: Key) -> None:
    standing.marker = place
    if event.kind == "corrected":
        standing.klass, standing.corrected = event.to or "", True
    elif not standing.corrected:
        standing.klass = event.to or ""


def _no_correction(event: Event, start: int, policy: Policy) -> str:
    if event.by != MANAGER:
        return "not_manager"
    if not (event.reason or "").strip():
        return "no_reason"
    if event.at - start > DAY:
        return "too_late"
    return "" if event.to in policy.classes else "unknown_class"


def _no_class_set(event: Event, start: int, policy: Policy, *, found: bool) -> str:
    if event.author != BOT:
        return "not_by_rule"
    if event.at - start > policy.provisional:
        return "too_late"
    if event.to not in policy.classes:
        return "unknown_class"
    return "already_set" if found else ""
