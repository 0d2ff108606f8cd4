"""What the desk reads of tickets: bounded lists by view and search, at one cost at any length."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q, QuerySet
from django.http import QueryDict

from diagnostics.findings.models import Finding
from diagnostics.findings.queries import findings_of_lease
from diagnostics.findings.states import FindingState
from fleet import access as fleet_access
from fleet import typed
from fleet.people.models import Role, User
from tickets import access
from tickets.cases.models import Ticket
from tickets.cases.states import LIVE, ClockState, TicketState

PAGE = 50
OPEN, UNANSWERED, MINE, WAITING, RESOLVED, ALL = (
    "open",
    "unanswered",
    "mine",
    "waiting",
    "resolved",
    "all",
)
VIEWS = (OPEN, UNANSWERED, MINE, WAITING, RESOLVED, ALL)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a reader of the list asked for; an unknown view is the first one."""

    view: str = OPEN
    text: str = ""
    page: str = "1"

    @property
    def query(self) -> str:
        """View and search without the page, for links."""
        return urlencode({"view": self.view} | ({"text": self.text} if self.text else {}))

    @property
    def spec(self) -> str:
        """All of it in one line: the key of the live region."""
        return f"page={self.page}&{self.query}"


def asked(query: QueryDict) -> Asked:
    """Read it from an address or from a live region's key."""
    view = query.get("view", OPEN)
    return Asked(
        view=view if view in VIEWS else OPEN,
        text=query.get("text", "").strip().replace("\0", "")[:80],
        page=query.get("page", "1")[:6],
    )


def conditions(user: User) -> Mapping[str, Q]:
    """What each view holds."""
    live = Q(state__in=LIVE)
    unanswered = Q(response_state=ClockState.IN_FLIGHT) | Q(response_at=None)
    return {
        OPEN: live,
        UNANSWERED: Q(state=TicketState.OPEN) & (unanswered | ~Q(waits_since=None)),
        MINE: live & Q(assignee=user),
        WAITING: Q(state=TicketState.PAUSED),
        RESOLVED: Q(state=TicketState.RESOLVED),
        ALL: Q(),
    }


def counts(user: User) -> Mapping[str, int]:
    """How many tickets each view but the last holds (one query)."""
    wanted = {name: found for name, found in conditions(user).items() if name != ALL}
    return access.tickets(user).aggregate(
        **{name: Count("pk", filter=found) for name, found in wanted.items()}
    )


def tickets_page(user: User, question: Asked) -> Page[Ticket]:
    """One page of a view, the soonest due first; what has none comes last, the newest first."""
    rows = access.tickets(user).filter(conditions(user)[question.view])
    if question.text:
        rows = rows.filter(matching(question.text))
    ordered = rows.select_related("customer", "lease", "assignee").order_by(
        F("soonest_at").asc(nulls_last=True), "-created_at", "-pk"
    )
    return Paginator(ordered, PAGE).get_page(question.page)


def matching(text: str) -> Q:
    """A number with or without `#`, or a part of subject, customer, order or node."""
    found = Q(subject__icontains=text)
    for field in ("customer__name", "lease__order_id", "lease__node__name"):
        found |= Q(**{f"{field}__icontains": text})
    number = typed.number(text.removeprefix("#"))
    return found if number is None else found | Q(pk=number)


def findings_now(user: User, ticket: Ticket) -> list[Finding]:
    """What is wrong on the ticket's instance now."""
    if ticket.lease is None:
        return []
    rows = findings_of_lease(user, ticket.lease).filter(state=FindingState.OPEN)
    return list(rows.select_related("gpu", "path", "root")[:20])


def colleagues() -> QuerySet[User]:
    """Who can have a ticket."""
    return User.objects.filter(role=Role.OPS, is_active=True).order_by("name", "email")


def siblings(user: User, ticket: Ticket) -> QuerySet[Ticket]:
    """Other live tickets of the same customer: what it may be merged into."""
    rows = access.tickets(user).filter(customer=ticket.customer_id, state__in=LIVE)
    return rows.exclude(pk=ticket.pk).order_by("-created_at")


def whose(user: User) -> dict[str, QuerySet[Any]]:
    """For whom and about what a ticket can be opened."""
    return {
        "customers": fleet_access.customers(user).order_by("name"),
        "leases": fleet_access.leases(user).order_by("order_id"),
    }
