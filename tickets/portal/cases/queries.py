"""What a customer reads of their tickets."""

from django.core.paginator import Page, Paginator
from django.db.models import Case, QuerySet, Value, When

from fleet import access as fleet_access
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.people.models import User
from tickets import access
from tickets.cases.models import Ticket
from tickets.cases.states import LIVE, TicketState

PAGE = 30


def tickets_page(user: User, customer: int, number: str) -> Page[Ticket]:
    """A customer's tickets, what needs somebody first, then the newest."""
    place = Case(
        When(state__in=LIVE, then=Value(0)),
        When(state=TicketState.RESOLVED, then=Value(1)),
        default=Value(2),
    )
    rows = access.tickets(user).filter(customer=customer).select_related("lease")
    ordered = rows.order_by(place, "-created_at", "-pk")
    return Paginator(ordered, PAGE).get_page(number)


def leases(user: User) -> QuerySet[Lease]:
    """What a ticket can be about: everything rented that has not ended."""
    rows = fleet_access.leases(user).exclude(state=LeaseState.ENDED)
    return rows.select_related("customer", "node").order_by("order_id")
