"""The desk's live regions of tickets."""

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.template.loader import render_to_string

from fleet import access as fleet_access
from fleet.live.region import Region, Rows
from fleet.people.models import User
from tickets import access
from tickets.desk.cases import contexts, queries

Anyone = User | AnonymousUser


def staff_only(user: Anyone, key: str) -> bool:
    """Lists of all customers' tickets."""
    return fleet_access.is_staff(user)


def reader(user: User, key: str) -> str:
    """A view can be one's own, and a conversation says “You”: one rendering for each person."""
    return f"{fleet_access.viewer(user).audience}-{user.pk}"


def ticket_rows(user: User, key: str) -> Rows:
    """`key` is view, search and page (`Asked.spec`)."""
    found = queries.tickets_page(user, queries.asked(QueryDict(key)))
    return Rows(
        {
            f"ticket-{row.id}": render_to_string("desk/cases/_row.html", {"row": row})
            for row in contexts.rows(found.object_list)
        }
    )


def sees_ticket(user: Anyone, key: str) -> bool:
    """Staff of the ticket's world."""
    return fleet_access.is_staff(user) and fleet_access.may_see(access.tickets, user, key)


def ticket_parts(user: User, key: str) -> Rows:
    """`key` is the ticket's number."""
    seen = contexts.page(user, access.ticket_or_404(user, int(key)))
    return Rows(
        {
            f"part-{part}": render_to_string(f"desk/cases/_{part}.html", {"seen": seen})
            for part in contexts.PARTS
        }
    )


TICKETS = Region("tickets", staff_only, reader, ticket_rows)
TICKET = Region("ticket", sees_ticket, reader, ticket_parts)
