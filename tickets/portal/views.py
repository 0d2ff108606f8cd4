"""The customer's own pages."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from fleet import access
from fleet.access import PersonRequest, login_required
from tickets.live_page import Live, page
from tickets.portal import live, queries


@require_safe
@login_required
def mine(request: PersonRequest) -> HttpResponseBase:
    """My instances, per customer I act for. Staff have the board instead."""
    if access.is_staff(request.user):
        return redirect("board")
    customers = list(queries.customers(request.user))
    lives = [_mine(request, customer.pk) for customer in customers]
    return page(
        request,
        "portal/mine.html",
        lives,
        nav="mine",
        shown=list(zip(customers, lives, strict=True)),
    )


@require_safe
@login_required
def mine_rows(request: PersonRequest, customer: int) -> HttpResponse:
    """The rows of one customer once more."""
    if not live.sees_customer(request.user, str(customer)):
        raise Http404
    return HttpResponse(_mine(request, customer).rows)


def _mine(request: PersonRequest, customer: int) -> Live:
    return Live(live.MINE, str(customer), request.user, reverse("mine_rows", args=[customer]))
