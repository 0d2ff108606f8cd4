"""The desk's pages of tickets. Acts are POSTs by ops; what the rules refuse is said in words."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fleet.access import PersonRequest, ops_required, staff_required
from fleet.changes.errors import Refused
from tickets import access
from tickets.cases.models import Ticket
from tickets.desk.cases import acts, contexts, live, queries
from tickets.desk.cases.forms import AssignForm, ClassForm, NewTicketForm, WriteForm
from tickets.live_page import Live, page


@require_safe
@staff_required
def tickets(request: PersonRequest) -> HttpResponse:
    """Tickets by view, the soonest due first."""
    asked = queries.asked(request.GET)
    context: dict[str, Any] = {
        "asked": asked,
        "tabs": contexts.tabs(request.user, asked),
        "pages": queries.tickets_page(request.user, asked),
    }
    return page(request, "desk/cases/list.html", [_rows(request, asked)], nav="tickets", **context)


@require_safe
@staff_required
def tickets_rows(request: PersonRequest) -> HttpResponse:
    """The list's rows once more."""
    return HttpResponse(_rows(request, queries.asked(request.GET)).rows)


def _rows(request: PersonRequest, asked: queries.Asked) -> Live:
    return Live(live.TICKETS, asked.spec, request.user, f"{reverse('tickets_rows')}?{asked.spec}")


@require_safe
@staff_required
def ticket(request: PersonRequest, pk: int) -> HttpResponse:
    """One ticket: clocks, conversation, and what can be done."""
    return _page(request, access.ticket_or_404(request.user, pk), WriteForm())


@require_safe
@staff_required
def ticket_parts(request: PersonRequest, pk: int) -> HttpResponse:
    """What changes by itself, once more."""
    access.ticket_or_404(request.user, pk)
    return HttpResponse(_ticket(request, pk).rows)


def _ticket(request: PersonRequest, pk: int) -> Live:
    return Live(live.TICKET, str(pk), request.user, reverse("ticket_parts", args=[pk]))


def _page(
    request: PersonRequest, row: Ticket, form: WriteForm, *, status: int = 200
) -> HttpResponse:
    lives = [_ticket(request, row.pk)]
    context = contexts.writing(request.user, row) | {"ticket": row, "form": form}
    return page(request, "desk/cases/ticket.html", lives, status=status, nav="tickets", **context)


@require_POST
@ops_required
def write(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Answer, ask, resolve or note. A text that was refused is not lost: it stands in the form."""
    row = access.ticket_or_404(request.user, pk)
    form = WriteForm(request.POST)
    if form.is_valid():
        try:
            acts.write(row, by=request.user, **form.cleaned_data)
            return redirect("ticket", pk=pk)
        except Refused as refused:
            form.add_error("body", str(refused))
    return _page(request, row, form, status=422)


def _act(request: PersonRequest, pk: int, do: Callable[[Ticket], object]) -> HttpResponseBase:
    row = access.ticket_or_404(request.user, pk)
    try:
        do(row)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("ticket", pk=pk)


@require_POST
@ops_required
def simple_act(request: PersonRequest, pk: int, act: str) -> HttpResponseBase:
    """Resume, reopen, pass over, acknowledge, mark: acts that need no words."""
    return _act(request, pk, partial(acts.simple, act=act, by=request.user))


@require_POST
@ops_required
def assign(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Give it to a colleague, or to nobody."""
    form = AssignForm(request.POST, people=queries.colleagues())
    return _act(request, pk, partial(acts.assign, form=form, by=request.user))


@require_POST
@staff_required
def change_class(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Another class from now on (ops), or from the start (a manager, with a reason)."""
    return _act(request, pk, partial(acts.reclass, form=ClassForm(request.POST), by=request.user))


@require_POST
@ops_required
def merge(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Into another ticket of the same customer."""
    return _act(
        request, pk, partial(acts.merge, into=request.POST.get("into", ""), by=request.user)
    )


@require_http_methods(["GET", "HEAD", "POST"])
@ops_required
def new_ticket(request: PersonRequest) -> HttpResponseBase:
    """For somebody who called, chatted or came by."""
    form = NewTicketForm(request.POST or None, **queries.whose(request.user))
    opened = acts.open_for(form, by=request.user) if form.is_valid() else None
    if opened is not None:
        return redirect("ticket", pk=opened.pk)
    status = 422 if form.is_bound else 200
    return render(request, "desk/cases/new.html", {"form": form, "nav": "tickets"}, status=status)
