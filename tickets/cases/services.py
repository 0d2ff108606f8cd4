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
from fleet.changes.services import announce, record
from fleet.leases.models import Lease
from fleet.people.models import Customer, User
from tickets.cases import refusals
from tickets.cases.facts import name
from tickets.cases.models import Ticket, TicketEvent, TicketText
from tickets.cases.settle import regions, settle
from tickets.cases.states import Author, Source
from tickets.policies.models import SlaPolicy
from tickets.policies.queries import terms_in_force
from tickets.policies.services import policy_for
from tickets.sla.instants import SECOND
from tickets.sla.replay import Reckoned

LONGEST = 20_000  # characters of one text
SUBJECT = 160
STEP = timedelta(milliseconds=1)
BACKDATED = frozenset({"created", "message"})


@transaction.atomic
def open_ticket(
    *,
    customer: Customer,
    subject: str,
    source: str,
    lease: Lease | None = None,
    klass: str = "general",
    code: str = "",
    body: str = "",
    actor: User | None = None,
    at: datetime | None = None,
    logged_at: datetime | None = None,
) -> Ticket:
    """A new ticket. Its clocks start now, or at `at`, for a call that is written down later.

    `body` is the first message: the customer's own, or what staff wrote down for them. Raises
    Refused for an empty subject, a lease of somebody else, and a class the contract lacks.
    """
    now = at or timezone.now()
    policy = _checked(customer, subject, lease, klass, now)
    ticket = Ticket.objects.create(
        customer=customer,
        lease=lease,
        policy=policy,
        subject=_in_short(subject),
        source=source,
        first_class=klass,
        code=code,
        created_at=now,
        opened_by=actor.pk if actor else None,
        klass=klass,
        start_at=now,
    )
    author = Author.BOT if source == Source.ALERT else Author.STAFF
    _append(ticket, "created", author=author, actor=actor, at=now, logged_at=logged_at)
    if body.strip():
        _report(ticket, body, actor, now)
    settle(ticket.pk, max(now, logged_at or now), because="created")
    record(kind="ticket_opened", actor=actor, lease=lease, data={"ticket": ticket.pk})
    announce(*regions(ticket))
    ticket.refresh_from_db()
    return ticket


def _checked(
    customer: Customer, subject: str, lease: Lease | None, klass: str, now: datetime
) -> SlaPolicy:
    """The policy that holds. Raises Refused for a ticket that cannot be."""
    if not subject.strip():
        raise Refused({"subject": _("Say in a few words what is wrong.")})
    if lease is not None and lease.customer_id != customer.pk:
        raise Refused({"lease": _("This instance belongs to another customer.")})
    policy = policy_for(lease, now)
    terms = terms_in_force(policy, now)
    if terms is None or klass not in terms.classes:
        raise Refused({"klass": refusals.SENTENCES["unknown_class"]})
    return policy


def _in_short(subject: str) -> str:
    words = " ".join(subject.split())
    return words if len(words) <= SUBJECT else words[: SUBJECT - 1] + "…"


def _report(ticket: Ticket, body: str, actor: User | None, at: datetime) -> None:
    """The first message: the customer's own, or what staff wrote down for them."""
    own = ticket.source == Source.PORTAL
    _append(
        ticket,
        "message",
        author=Author.CUSTOMER if own else Author.STAFF,
        actor=actor,
        at=at,
        body=body,
        data={} if own else {"on_behalf": True},
    )


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
    row = _append(
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
    found = settle(ticket.pk, max(now, logged_at or now), because=kind)
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


def _append(
    ticket: Ticket,
    kind: str,
    *,
    author: str,
    actor: User | None,
    at: datetime,
    logged_at: datetime | None = None,
    body: str = "",
    public: bool = True,
    channel: str = "portal",
    data: Mapping[str, Any] | None = None,
) -> TicketEvent:
    text = TicketText.objects.create(ticket=ticket, body=body) if body.strip() else None
    return TicketEvent.objects.create(
        ticket=ticket,
        at=at,
        logged_at=logged_at if kind in BACKDATED else None,
        kind=kind,
        author=author,
        actor_id=actor.pk if actor else None,
        text_id=text.pk if text else None,
        worded=text is not None,
        public=public,
        channel=channel,
        data=dict(data or {}),
    )


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
