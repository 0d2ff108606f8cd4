"""The desk's pages: each gets through the door, asks once and renders."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from diagnostics.examine import services as examine
from fleet import access
from fleet.access import PersonRequest, login_required, ops_required, staff_required
from tickets import wording
from tickets.desk import live, queries
from tickets.desk.contexts import lease as lease_context
from tickets.desk.contexts import node as node_context
from tickets.live_page import Live, page


@require_safe
@login_required
def home(request: PersonRequest) -> HttpResponseBase:
    """Staff start at the board, customers at their instances."""
    return redirect("board" if access.is_staff(request.user) else "mine")


@require_safe
@staff_required
def board(request: PersonRequest) -> HttpResponse:
    """What is wrong now, the worst and longest first."""
    found = queries.board_page(request.user, request.GET.get("page", "1"))
    lives = [_strip(request), _board(request, str(found.number))]
    return page(request, "desk/board.html", lives, nav="board", pages=found)


@require_safe
@staff_required
def board_rows(request: PersonRequest) -> HttpResponse:
    """The board's rows once more, for a page that fell behind."""
    return HttpResponse(_board(request, request.GET.get("page", "1")).rows)


def _board(request: PersonRequest, number: str) -> Live:
    key = "" if number == "1" else number
    return Live(live.BOARD, key, request.user, f"{reverse('board_rows')}?page={number}")


@require_safe
@staff_required
def strip_rows(request: PersonRequest) -> HttpResponse:
    """The fleet in a line, once more."""
    return HttpResponse(_strip(request).rows)


def _strip(request: PersonRequest) -> Live:
    return Live(live.FLEET, live.STRIP, request.user, reverse("strip_rows"))


@require_safe
@staff_required
def fleet(request: PersonRequest) -> HttpResponse:
    """Every node, by provider, region, verdict and text."""
    asked = queries.filters(request.GET)
    context: dict[str, Any] = {
        "asked": asked,
        "pages": queries.fleet_page(request.user, asked),
        "providers": access.providers(request.user).order_by("name"),
        "regions": queries.regions(request.user),
        "verdicts": wording.VERDICTS.values(),
    }
    lives = [_strip(request), _fleet(request, asked)]
    return page(request, "desk/fleet.html", lives, nav="fleet", **context)


@require_safe
@staff_required
def fleet_rows(request: PersonRequest) -> HttpResponse:
    """The list's rows once more."""
    return HttpResponse(_fleet(request, queries.filters(request.GET)).rows)


def _fleet(request: PersonRequest, asked: queries.Filters) -> Live:
    return Live(live.FLEET, asked.spec, request.user, f"{reverse('fleet_rows')}?{asked.spec}")


@require_safe
@staff_required
def node(request: PersonRequest, pk: int) -> HttpResponse:
    """One node: its newest examination, cards, leases, findings and history."""
    head = node_context.head(access.node_or_404(request.user, pk))
    return page(request, "desk/node.html", [_node(request, pk)], nav="fleet", head=head)


@require_safe
@staff_required
def node_rows(request: PersonRequest, pk: int) -> HttpResponse:
    """The parts of the node page once more."""
    return HttpResponse(_node(request, pk).rows)


def _node(request: PersonRequest, pk: int) -> Live:
    return Live(live.NODE, str(pk), request.user, reverse("node_rows", args=[pk]))


@require_POST
@ops_required
def examine_node(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Ask for a visit now; the page follows it live."""
    examine.ask(access.node_or_404(request.user, pk), by=request.user)
    messages.success(request, _("The examination is queued; its result appears here by itself."))
    return redirect("node", pk=pk)


@require_safe
@login_required
def lease(request: PersonRequest, pk: int) -> HttpResponse:
    """One lease, for staff and for its customer."""
    head = lease_context.head(request.user, access.lease_or_404(request.user, pk))
    nav = "fleet" if access.is_staff(request.user) else "mine"
    return page(request, "desk/lease.html", [_lease(request, pk)], nav=nav, head=head)


@require_safe
@login_required
def lease_rows(request: PersonRequest, pk: int) -> HttpResponse:
    """The parts of the lease page once more."""
    return HttpResponse(_lease(request, pk).rows)


def _lease(request: PersonRequest, pk: int) -> Live:
    return Live(live.LEASE, str(pk), request.user, reverse("lease_rows", args=[pk]))
