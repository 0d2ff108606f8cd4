"""A ticket's clocks on a page: what runs, until when, and whose turn it is."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from fleet.people import formats
from tickets import wording
from tickets.cases.models import Ticket
from tickets.cases.states import Clock, ClockState, TicketState
from tickets.wording import Sign

CLASSES: dict[str, str | Promise] = {
    "port": gettext_lazy("Port"),
    "complex": gettext_lazy("Complex fault"),
    "general": gettext_lazy("General"),
}
STATES = {
    TicketState.OPEN: Sign("high", TicketState.OPEN.label, "circle-dot"),
    TicketState.PAUSED: Sign("low", TicketState.PAUSED.label, "circle-pause"),
    TicketState.RESOLVED: Sign("ok", TicketState.RESOLVED.label, "circle-check"),
    TicketState.CLOSED: Sign("unknown", TicketState.CLOSED.label, "lock"),
    TicketState.CANCELLED: Sign("unknown", TicketState.CANCELLED.label, "undo-2"),
    TicketState.MERGED: Sign("unknown", TicketState.MERGED.label, "merge"),
    TicketState.SPAM: Sign("unknown", TicketState.SPAM.label, "ban"),
    TicketState.TEST: Sign("unknown", TicketState.TEST.label, "flask-conical"),
}
RESULTS = {
    ClockState.IN_FLIGHT: Sign("low", ClockState.IN_FLIGHT.label, "timer"),
    ClockState.MET: Sign("ok", ClockState.MET.label, "circle-check"),
    ClockState.BREACHED: Sign("critical", ClockState.BREACHED.label, "octagon-alert"),
    ClockState.EXCLUDED: Sign("unknown", ClockState.EXCLUDED.label, "circle-minus"),
}
YOUR_TURN = Sign("medium", gettext_lazy("Waiting for you"), "circle-pause")
PAUSED = Sign("low", gettext_lazy("Paused"), "circle-pause")


@dataclass(frozen=True, slots=True)
class ClockLine:
    """One clock. `left_until` is set while it runs towards its due, or past it."""

    name: str
    sign: Sign
    due_at: datetime | None
    stopped_at: datetime | None
    left_until: datetime | None


def lines(ticket: Ticket) -> tuple[ClockLine, ClockLine]:
    """Response and resolution."""
    running = ticket.is_live
    paused = ticket.state == TicketState.PAUSED
    response = _line(
        str(Clock.RESPONSE.label),
        ticket.response_state,
        ticket.response_due_at,
        ticket.response_at,
        runs=running,
    )
    resolution = _line(
        str(Clock.RESOLUTION.label),
        ticket.resolution_state,
        ticket.resolution_due_at,
        ticket.resolution_at,
        runs=running and not paused,
        paused=paused,
    )
    return response, resolution


def _line(
    name: str,
    state: str,
    due_at: datetime | None,
    stopped_at: datetime | None,
    *,
    runs: bool,
    paused: bool = False,
) -> ClockLine:
    waits = paused and state == ClockState.IN_FLIGHT
    return ClockLine(
        name=name,
        sign=PAUSED if waits else RESULTS[ClockState(state)],
        due_at=None if waits else due_at,
        stopped_at=stopped_at,
        left_until=due_at if runs and stopped_at is None else None,
    )


def title(ticket: Ticket) -> str:
    """What it is about: the words of who opened it, or the name of the fault that we found."""
    return ticket.subject or wording.fault_text(ticket.code).title


def state(ticket: Ticket) -> Sign:
    """What the ticket is."""
    return STATES[TicketState(ticket.state)]


def state_for_customer(ticket: Ticket) -> Sign:
    """The same, said to the customer."""
    return YOUR_TURN if ticket.state == TicketState.PAUSED else state(ticket)


def klass(key: str) -> str:
    """What a class is called; one of a contract's own is shown by its name."""
    return str(CLASSES.get(key, key))


def turn(ticket: Ticket) -> str:
    """For the customer: whose turn it is, and what happens next, with a time where we know one."""
    due = formats.moment_text
    if ticket.state == TicketState.PAUSED:
        return _("It is your turn: we wait for your answer, and the resolution clock is paused.")
    if ticket.state == TicketState.RESOLVED:
        return _("We have resolved this. Please look whether it works.")
    if ticket.state != TicketState.OPEN:
        return _("This ticket has ended.")
    if ticket.response_at is None and ticket.response_state == ClockState.IN_FLIGHT:
        return _("It is our turn: a person answers by %(due)s.") % {
            "due": due(ticket.response_due_at)
        }
    if ticket.next_due_at is not None:
        return _("It is our turn: we answer your message by %(due)s.") % {
            "due": due(ticket.next_due_at)
        }
    if ticket.resolution_state == ClockState.IN_FLIGHT and ticket.resolution_due_at is not None:
        return _("It is our turn: we work on it, due %(due)s.") % {
            "due": due(ticket.resolution_due_at)
        }
    return _("It is our turn. We are late with this and work on it now.")
