"""The live regions of a customer's tickets."""

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.template.loader import render_to_string

from fleet import access as fleet_access
from fleet import typed
from fleet.live.region import Region, Rows
from fleet.people.models import User
from tickets import access
from tickets.portal.cases import contexts, queries

Anyone = User | AnonymousUser


def sees_list(user: Anyone, key: str) -> bool:
    """`key` is the customer's number, and perhaps a page: `3&page=2`."""
    customer = key.partition("&")[0]
    own = fleet_access.may_see(fleet_access.customers, user, customer)
    return not fleet_access.is_staff(user) and own


def own_people(user: User, key: str) -> str:
    """Everybody who acts for this customer sees the same list."""
    return f"customer-{key.partition('&')[0]}"


def list_rows(user: User, key: str) -> Rows:
    """One line for each ticket of the page."""
    customer, _mark, page = key.partition("&")
    number = QueryDict(page).get("page", "1")[:6]
    found = queries.tickets_page(user, typed.number(customer) or 0, number)
    return Rows(
        {
            f"my-ticket-{row.id}": render_to_string("portal/cases/_row.html", {"row": row})
            for row in contexts.rows(found.object_list)
        }
    )


def sees_ticket(user: Anyone, key: str) -> bool:
    """The customer's own people; staff have the desk's page."""
    return not fleet_access.is_staff(user) and fleet_access.may_see(access.tickets, user, key)


def reader(user: User, key: str) -> str:
    """A conversation says “You”: one rendering for each person."""
    return f"person-{user.pk}"


def ticket_parts(user: User, key: str) -> Rows:
    """`key` is the ticket's number."""
    seen = contexts.page(user, access.ticket_or_404(user, int(key)))
    return Rows(
        {
            f"part-{part}": render_to_string(f"portal/cases/_{part}.html", {"seen": seen})
            for part in contexts.PARTS
        }
    )


MY_TICKETS = Region("my-tickets", sees_list, own_people, list_rows)
MY_TICKET = Region("my-ticket", sees_ticket, reader, ticket_parts)
