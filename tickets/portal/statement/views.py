"""A customer's own statement: the same figures as the operator's report, of their tickets alone."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from fleet import access as fleet_access
from fleet.access import PersonRequest, login_required
from fleet.people.models import Customer
from tickets import access, report_page
from tickets.reports.writing import FORMATS


def _mine(request: PersonRequest, customer: int) -> Customer:
    rows = fleet_access.customers(request.user).filter(pk=customer)
    found = None if fleet_access.is_staff(request.user) else rows.first()
    if found is None:
        raise Http404
    return found


@require_safe
@login_required
def statement(request: PersonRequest, customer: int) -> HttpResponse:
    """A month of this customer."""
    whose = _mine(request, customer)
    shown = report_page.read_month(request.GET.get("month", ""))
    tickets = access.tickets(request.user).filter(customer=whose)
    seen = report_page.page(tickets, shown, by=("class",))
    context = {"seen": seen, "customer": whose, "nav": "tickets"}
    return render(request, "portal/statement.html", context)


@require_safe
@login_required
def statement_file(request: PersonRequest, customer: int, kind: str) -> HttpResponseBase:
    """The same month as a file."""
    whose = _mine(request, customer)
    if kind not in FORMATS:
        raise Http404
    shown = report_page.read_month(request.GET.get("month", ""))
    tickets = access.tickets(request.user).filter(customer=whose)
    return report_page.download(request, kind, shown, tickets, f"sla-{whose.pk}")
