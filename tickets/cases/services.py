"""What can be done to a ticket. Each act appends one event and settles what follows from it.

The rules are those of `tickets/sla`: an act that they refuse is not written, and the caller is told
in words. All times are our own clock; only a call may be logged later than it was.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import announce
from fleet.people.models import User
from tickets.cases import refusals
from tickets.cases.appending import append, latest
from tickets.cases.facts import name
from tickets.cases.models import Ticket, TicketEvent
from tickets.cases.settle import regions, settle
from tickets.cases.states import Author
from tickets.sla.instants import SECOND
from tickets.sla.replay import Reckoned

LONGEST = 20_000  # characters of one text
STEP = timedelta(milliseconds=1)


@transaction.atomic
def act(
    ticket: Ticket,
    kind: str,
    *,
    author: str = Author.STAFF,
    actor: User | None = None,
    body: str = "",
    public: bool = True,
    channel: str = "portal",
    data: Mapping[str, Any] | None = None,
    at: datetime | None = None,
    logged_at: datetime | None = None,
) -> TicketEvent:
    """Append one event and settle. Raises Refused if the rules of the clocks refuse it.

    `data` holds the event's own fields (`reason`, `until` as an instant in milliseconds, `to`,
    `target`, `of`). The ticket is brought up to date in place.
    """
    if len(body) > LONGEST:
        raise Refused({"body": _("A text has at most %(most)d characters.") % {"most": LONGEST}})
    Ticket.objects.select_for_update(no_key=True).get(pk=ticket.pk)
    now = at or _after_all(ticket)
    row = append(
        ticket,
        kind,
        author=author,
        actor=actor,
        at=now,
        logged_at=logged_at,
        body=body,
        public=public,
        channel=channel,
        data=data or {},
    )
    found = settle(ticket.pk, latest(now, logged_at), because=kind)
    _check(found, row)
    announce(*regions(ticket))
    ticket.refresh_from_db()
    return row


def _after_all(ticket: Ticket) -> datetime:
    """Now, but after everything that has happened to the ticket: two acts within a millisecond
    would else count in an order of their kinds, not in that of the people."""
    last = ticket.events.aggregate(last=Max("at"))["last"]
    return timezone.now() if last is None else max(timezone.now(), last + STEP)


def _check(found: Mapping[str, Reckoned], row: TicketEvent) -> None:
    refused = found[name(row.ticket_id)].case.refused
    reason = next((each.reason for each in refused if each.event.id == name(row.pk)), "")
    if reason and reason != refusals.COUNTS_LATER:
        raise Refused({"__all__": refusals.SENTENCES[reason]})


def answer(ticket: Ticket, *, body: str, actor: User, channel: str = "portal") -> TicketEvent:
    """A person of ours writes to the customer: stops the response clock."""
    if not body.strip():
        raise Refused({"body": refusals.SENTENCES["no_public_text"]})
    return act(ticket, "message", actor=actor, body=body, channel=channel)


def note(ticket: Ticket, *, body: str, actor: User) -> TicketEvent:
    """A note for staff alone: stops nothing."""
    if not body.strip():
        raise Refused({"body": _("Write something.")})
    return act(ticket, "note", actor=actor, body=body, public=False)


def customer_says(ticket: Ticket, *, body: str, actor: User) -> TicketEvent:
    """The customer writes: ends every pause, reopens what was resolved."""
    if not body.strip():
        raise Refused({"body": _("Write something.")})
    return act(ticket, "message", author=Author.CUSTOMER, actor=actor, body=body)


def ask(
    ticket: Ticket, *, body: str, actor: User, reason: str, until: datetime | None = None
) -> TicketEvent:
    """Ask the customer something; the resolution clock waits for them."""
    data: dict[str, Any] = {"reason": reason}
    if until is not None:
        data["until"] = int(until.timestamp() * SECOND)
    return act(ticket, "pause", actor=actor, body=body, data=data)


def resume(ticket: Ticket, *, actor: User) -> TicketEvent:
    """Go on without waiting."""
    return act(ticket, "resume", actor=actor)


def resolve(ticket: Ticket, *, body: str, actor: User) -> TicketEvent:
    """Solved, with a text the customer reads."""
    return act(ticket, "resolved", actor=actor, body=body)


def reopen(ticket: Ticket, *, actor: User, by_customer: bool, body: str = "") -> TicketEvent:
    """Not solved after all."""
    author = Author.CUSTOMER if by_customer else Author.STAFF
    row = act(ticket, "reopened", author=author, actor=actor)
    if by_customer and body.strip():
        act(ticket, "message", author=author, actor=actor, body=body)
    return row


def dismiss(ticket: Ticket, *, actor: User) -> TicketEvent:
    """The customer's last word needs no answer: a thank-you reopens nothing."""
    return act(ticket, "dismissed", actor=actor)


def withdraw(ticket: Ticket, *, actor: User) -> TicketEvent:
    """The customer takes it back."""
    return act(ticket, "cancelled", author=Author.CUSTOMER, actor=actor)


def change_class(ticket: Ticket, *, to: str, actor: User) -> TicketEvent:
    """Another class from now on."""
    return act(ticket, "class_changed", actor=actor, data={"to": to})


def correct_class(ticket: Ticket, *, to: str, reason: str, actor: User) -> TicketEvent:
    """A manager says which class it has been from the start."""
    data = {"to": to, "by": actor.role, "reason": "given" if reason.strip() else ""}
    return act(ticket, "corrected", actor=actor, body=reason, public=False, data=data)


def mark(ticket: Ticket, *, kind: str, actor: User) -> TicketEvent:
    """Spam, or a test: out of every count."""
    return act(ticket, kind, actor=actor)


def acknowledge(ticket: Ticket, *, actor: User) -> TicketEvent:
    """Somebody has seen it. No answer."""
    return act(ticket, "acknowledged", actor=actor)


@transaction.atomic
def assign(ticket: Ticket, *, to: User | None, actor: User) -> TicketEvent:
    """Somebody has it from now on."""
    Ticket.objects.filter(pk=ticket.pk).update(assignee=to)
    return act(ticket, "assigned", actor=actor, data={"person": to.pk if to else None})


@transaction.atomic
def merge(ticket: Ticket, *, into: Ticket, actor: User) -> TicketEvent:
    """`ticket` goes into another of the same customer, which keeps the earliest start."""
    survivor = into
    Ticket.objects.filter(pk=ticket.pk).update(merged_into=survivor)
    row = act(ticket, "merged_into", actor=actor, data={"target": survivor.pk})
    survivor.refresh_from_db()
    return row
