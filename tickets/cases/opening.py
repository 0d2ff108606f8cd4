"""Opens tickets: for a customer's report, somebody's call, or a fault that we found."""

from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from diagnostics.catalogue.load import FAULTS
from fleet.changes.errors import Refused
from fleet.changes.services import announce, record
from fleet.leases.models import Lease
from fleet.people.models import Customer, User
from tickets.cases import refusals
from tickets.cases.appending import append, latest
from tickets.cases.models import Ticket
from tickets.cases.settle import regions, settle
from tickets.cases.states import Author, Source
from tickets.policies.models import SlaPolicy
from tickets.policies.queries import terms_in_force
from tickets.policies.services import policy_for

SUBJECT = 160
GENERAL = "general"


@transaction.atomic
def open_ticket(
    *,
    customer: Customer,
    subject: str,
    source: str,
    lease: Lease | None = None,
    klass: str = GENERAL,
    code: str = "",
    body: str = "",
    actor: User | None = None,
    at: datetime | None = None,
    logged_at: datetime | None = None,
) -> Ticket:
    """A new ticket. Its clocks start now, or at `at`, for a call that is written down later.

    A fault that we found needs no subject: its `code` says what it is, in the reader's language.
    `body` is the first message: the customer's own, or what staff wrote down for them. Raises
    Refused for an empty subject, a lease of somebody else, and a class the contract lacks.
    """
    now = at or timezone.now()
    if not (subject.strip() or code in FAULTS):
        raise Refused({"subject": _("Say in a few words what is wrong.")})
    _check_owner(lease, customer)
    ticket = Ticket.objects.create(
        customer=customer,
        lease=lease,
        policy=_policy_of(lease, klass, now),
        subject=_in_short(subject),
        source=source,
        first_class=klass,
        code=code,
        created_at=now,
        opened_by=actor.pk if actor else None,
        klass=klass,
        start_at=now,
        provisional=_is_provisional(source, klass, lease),
    )
    author = Author.BOT if source == Source.ALERT else Author.STAFF
    append(ticket, "created", author=author, actor=actor, at=now, logged_at=logged_at)
    if body.strip():
        _report(ticket, body, actor, now)
    settle(ticket.pk, latest(now, logged_at), because="created")
    record(kind="ticket_opened", actor=actor, lease=lease, data={"ticket": ticket.pk})
    announce(*regions(ticket))
    ticket.refresh_from_db()
    return ticket


def _is_provisional(source: str, klass: str, lease: Lease | None) -> bool:
    """Whether the first examination may still say which class it is: not where we measured it, and
    not where staff have said what it is."""
    if lease is None or source == Source.ALERT:
        return False
    return source == Source.PORTAL or klass == GENERAL


def _check_owner(lease: Lease | None, customer: Customer) -> None:
    if lease is not None and lease.customer_id != customer.pk:
        raise Refused({"lease": _("This instance belongs to another customer.")})


def _policy_of(lease: Lease | None, klass: str, now: datetime) -> SlaPolicy:
    """The policy that holds. Raises Refused for a class it lacks."""
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
    append(
        ticket,
        "message",
        author=Author.CUSTOMER if own else Author.STAFF,
        actor=actor,
        at=at,
        body=body,
        data={} if own else {"on_behalf": True},
    )
