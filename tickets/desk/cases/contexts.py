"""Tickets as the desk's pages show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from fleet.people.models import User
from tickets import clocks, talk
from tickets.cases.models import Ticket
from tickets.cases.states import TicketState
from tickets.clocks import ClockLine
from tickets.desk.cases import queries
from tickets.desk.cases.forms import ClassForm
from tickets.health import Told, told
from tickets.wording import Sign

PARTS = ("head", "talk")
SIBLINGS = 20  # more would be no choice any more; the number can always be typed
VIEWS: dict[str, str | Promise] = {
    queries.OPEN: _("Open"),
    queries.UNANSWERED: _("Our turn to answer"),
    queries.MINE: _("Mine"),
    queries.WAITING: _("Waiting for the customer"),
    queries.RESOLVED: _("Resolved"),
    queries.ALL: _("All"),
}


@dataclass(frozen=True, slots=True)
class TicketRow:
    """A ticket in the list. `soonest` is the clock that runs out first."""

    id: int
    url: str
    subject: str
    customer: str
    order: str
    state: Sign
    klass: str
    soonest: datetime | None
    assignee: str
    created_at: datetime
    source: str


def rows(tickets: Iterable[Ticket]) -> list[TicketRow]:
    """The list's rows."""
    return [
        TicketRow(
            id=each.pk,
            url=reverse("ticket", args=[each.pk]),
            subject=clocks.title(each),
            customer=each.customer.name,
            order=each.lease.order_id if each.lease else "",
            state=clocks.state(each),
            klass=clocks.klass(each.klass),
            soonest=each.soonest_at,
            assignee=str(each.assignee) if each.assignee else "",
            created_at=each.created_at,
            source=each.get_source_display(),
        )
        for each in tickets
    ]


@dataclass(frozen=True, slots=True)
class Tab:
    """A view of the list."""

    url: str
    name: str | Promise
    count: int | None
    current: bool


def tabs(user: User, asked: queries.Asked) -> list[Tab]:
    """The views, each with how many it holds."""
    counts = queries.counts(user)
    return [
        Tab(f"{reverse('tickets')}?view={view}", name, counts.get(view), view == asked.view)
        for view, name in VIEWS.items()
    ]


@dataclass(frozen=True, slots=True)
class TicketPage:
    """What changes on a ticket's page by itself."""

    id: int
    subject: str
    state: Sign
    customer: str
    order: str
    lease_url: str
    node: str
    node_url: str
    klass: str
    source: str
    assignee: str
    created_at: datetime
    soonest: datetime | None
    soonest_is: str
    clocks: tuple[ClockLine, ClockLine]
    merged_url: str
    findings: tuple[Told, ...]
    talk: list[talk.Line]


def page(user: User, ticket: Ticket) -> TicketPage:
    """`ticket` as `access.ticket_or_404` gives it."""
    lease, lines = ticket.lease, clocks.lines(ticket)
    return TicketPage(
        id=ticket.pk,
        subject=clocks.title(ticket),
        state=clocks.state(ticket),
        customer=ticket.customer.name,
        order=lease.order_id if lease else "",
        lease_url=reverse("lease", args=[lease.pk]) if lease else "",
        node=lease.node.name if lease else "",
        node_url=reverse("node", args=[lease.node_id]) if lease else "",
        klass=clocks.klass(ticket.klass),
        source=ticket.get_source_display(),
        assignee=str(ticket.assignee) if ticket.assignee else "",
        created_at=ticket.created_at,
        soonest=ticket.soonest_at,
        soonest_is=_soonest(ticket, lines),
        clocks=lines,
        merged_url=reverse("ticket", args=[ticket.merged_into_id]) if ticket.merged_into_id else "",
        findings=told(queries.findings_now(user, ticket)),
        talk=talk.lines(ticket, user, staff=True),
    )


def _soonest(ticket: Ticket, lines: tuple[ClockLine, ClockLine]) -> str:
    """The name of the clock that runs out first."""
    if ticket.soonest_at is None:
        return ""
    if ticket.soonest_at == ticket.next_due_at:
        return str(_("Next answer"))
    return next((line.name for line in lines if line.left_until == ticket.soonest_at), "")


def simple_acts(ticket: Ticket) -> list[tuple[str, str, str]]:
    """Acts without words that can be done now: their key, icon and name."""
    found = []
    if ticket.is_live and ticket.response_at is None:
        found.append(("acknowledge", "eye", _("I have seen it")))
    if ticket.state == TicketState.PAUSED:
        found.append(("resume", "circle-play", _("Go on without waiting")))
    if ticket.state == TicketState.RESOLVED:
        found.append(("reopen", "rotate-ccw", _("Reopen")))
    if ticket.waits_since is not None:
        found.append(("dismiss", "circle-minus", _("No answer needed")))
    return [(act, sign, str(word)) for act, sign, word in found]


def writing(user: User, ticket: Ticket) -> dict[str, object]:
    """What the forms of a ticket's page need."""
    return {
        "title": clocks.title(ticket),
        "class_form": ClassForm(initial={"to": ticket.klass}),
        "people": queries.colleagues(),
        "siblings": [
            (each.pk, clocks.title(each)) for each in queries.siblings(user, ticket)[:SIBLINGS]
        ],
        "simple_acts": simple_acts(ticket),
    }
