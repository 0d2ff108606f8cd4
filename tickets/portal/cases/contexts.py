"""Tickets as their customer is shown them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse

from fleet.people.models import User
from tickets import clocks, talk
from tickets.cases.models import Ticket
from tickets.clocks import ClockLine
from tickets.wording import Sign

PARTS = ("head", "talk")


@dataclass(frozen=True, slots=True)
class MyTicket:
    """A line of the list."""

    id: int
    url: str
    subject: str
    order: str
    state: Sign
    turn: str
    created_at: datetime


def rows(tickets: Iterable[Ticket]) -> list[MyTicket]:
    """The list's lines."""
    return [
        MyTicket(
            id=each.pk,
            url=reverse("my_ticket", args=[each.pk]),
            subject=clocks.title(each),
            order=each.lease.order_id if each.lease else "",
            state=clocks.state_for_customer(each),
            turn=clocks.turn(each),
            created_at=each.created_at,
        )
        for each in tickets
    ]


@dataclass(frozen=True, slots=True)
class MyTicketPage:
    """What changes on the page by itself."""

    id: int
    subject: str
    order: str
    lease_url: str
    state: Sign
    klass: str
    turn: str
    clocks: tuple[ClockLine, ClockLine]
    talk: list[talk.Line]
    created_at: datetime


def page(user: User, ticket: Ticket) -> MyTicketPage:
    """`ticket` as `access.ticket_or_404` gives it."""
    lease = ticket.lease
    return MyTicketPage(
        id=ticket.pk,
        subject=clocks.title(ticket),
        order=lease.order_id if lease else "",
        lease_url=reverse("lease", args=[lease.pk]) if lease else "",
        state=clocks.state_for_customer(ticket),
        klass=clocks.klass(ticket.klass),
        turn=clocks.turn(ticket),
        clocks=clocks.lines(ticket),
        talk=talk.lines(ticket, user, staff=False),
        created_at=ticket.created_at,
    )
