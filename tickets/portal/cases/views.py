"""The customer's pages of tickets. They work without JavaScript: acts are plain forms."""

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from fleet import access as fleet_access
from fleet.access import PersonRequest, login_required
from fleet.changes.errors import Refused
from tickets import access, clocks
from tickets.cases.models import Ticket
from tickets.live_page import Live, page
from tickets.portal.cases import acts, live, queries
from tickets.portal.cases.forms import ReportForm, WordForm


def _mine(request: PersonRequest, pk: int) -> Ticket:
    if fleet_access.is_staff(request.user):
        raise Http404
    return access.ticket_or_404(request.user, pk)


@require_safe
@login_required
def my_tickets(request: PersonRequest) -> HttpResponseBase:
    """My tickets, per customer I act for. Staff have the desk."""
    if fleet_access.is_staff(request.user):
        return redirect("tickets")
    number = request.GET.get("page", "1")
    customers = list(fleet_access.customers(request.user).order_by("name"))
    lives = [_list(request, customer.pk, number) for customer in customers]
    pages = [queries.tickets_page(request.user, each.pk, number) for each in customers]
    shown = list(zip(customers, lives, pages, strict=True))
    return page(request, "portal/cases/list.html", lives, nav="tickets", shown=shown)


@require_safe
@login_required
def my_tickets_rows(request: PersonRequest, customer: int) -> HttpResponse:
    """One customer's list once more."""
    if not live.sees_list(request.user, str(customer)):
        raise Http404
    return HttpResponse(_list(request, customer, request.GET.get("page", "1")).rows)


def _list(request: PersonRequest, customer: int, number: str) -> Live:
    key = str(customer) if number == "1" else f"{customer}&page={number[:6]}"
    url = f"{reverse('my_tickets_rows', args=[customer])}?page={number[:6]}"
    return Live(live.MY_TICKETS, key, request.user, url)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def report(request: PersonRequest) -> HttpResponseBase:
    """Something is wrong, in one sentence."""
    if fleet_access.is_staff(request.user):
        return redirect("new_ticket")
    chosen = {"lease": request.GET.get("lease", "")}
    leases = queries.leases(request.user)
    form = ReportForm(request.POST or None, leases=leases, initial=chosen)
    opened = acts.report_by(form, by=request.user) if form.is_valid() else None
    if opened is not None:
        return redirect("my_ticket", pk=opened.pk)
    context, status = {"form": form, "nav": "tickets"}, 422 if form.is_bound else 200
    return render(request, "portal/cases/report.html", context, status=status)


@require_safe
@login_required
def my_ticket(request: PersonRequest, pk: int) -> HttpResponse:
    """One of my tickets."""
    return _page(request, _mine(request, pk), WordForm())


def _page(
    request: PersonRequest, row: Ticket, form: WordForm, *, status: int = 200
) -> HttpResponse:
    context = {"ticket": row, "form": form, "title": clocks.title(row)}
    lives = [_live(request, row.pk)]
    return page(request, "portal/cases/ticket.html", lives, status=status, nav="tickets", **context)


@require_safe
@login_required
def my_ticket_parts(request: PersonRequest, pk: int) -> HttpResponse:
    """What changes by itself, once more."""
    _mine(request, pk)
    return HttpResponse(_live(request, pk).rows)


def _live(request: PersonRequest, pk: int) -> Live:
    return Live(live.MY_TICKET, str(pk), request.user, reverse("my_ticket_parts", args=[pk]))


@require_POST
@login_required
def say(request: PersonRequest, pk: int) -> HttpResponseBase:
    """A further message; a text that was refused is not lost."""
    row = _mine(request, pk)
    form = WordForm(request.POST)
    if form.is_valid():
        try:
            acts.say(row, body=form.cleaned_data["body"], by=request.user)
            return redirect("my_ticket", pk=pk)
        except Refused as refused:
            form.add_error("body", str(refused))
    return _page(request, row, form, status=422)


def _act(
    request: PersonRequest, pk: int, do: Callable[[Ticket], object], done: str
) -> HttpResponseBase:
    row = _mine(request, pk)
    try:
        do(row)
        messages.success(request, done)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("my_ticket", pk=pk)


@require_POST
@login_required
def works(request: PersonRequest, pk: int) -> HttpResponseBase:
    """It works."""
    said = _("Thank you. The ticket stays resolved.")
    return _act(request, pk, lambda row: acts.confirm(row, by=request.user), said)


@require_POST
@login_required
def fails(request: PersonRequest, pk: int) -> HttpResponseBase:
    """It does not work."""
    body = request.POST.get("body", "")[:20_000]
    said = _("The ticket is open again.")
    return _act(request, pk, lambda row: acts.fails(row, body=body, by=request.user), said)


@require_POST
@login_required
def withdraw(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Taken back."""
    said = _("The ticket is withdrawn.")
    return _act(request, pk, lambda row: acts.withdraw(row, by=request.user), said)
