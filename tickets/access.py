"""The door of `tickets`: who sees which tickets. What lies below comes through `fleet.access`."""

from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from fleet import access
from fleet.access import Anyone
from tickets.cases.models import Ticket


def tickets(user: Anyone) -> QuerySet[Ticket]:
    """Every ticket of the world for staff, those of their companies for a customer."""
    if not access.is_person(user):
        return Ticket.objects.none()
    return Ticket.objects.filter(customer__in=access.customers(user).values("pk"))


def ticket_or_404(user: Anyone, pk: int, **only: Any) -> Ticket:
    """The ticket with customer, lease and who has it, or 404 for who may not see it."""
    rows = tickets(user).filter(**only).select_related("customer", "lease__node", "assignee")
    return get_object_or_404(rows, pk=pk)
