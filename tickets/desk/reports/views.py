"""The operator's report: a month's figures, and its export."""

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from fleet.access import PersonRequest, staff_required
from tickets import access, report_page
from tickets.reports.figures import BY
from tickets.reports.writing import FORMATS


@require_safe
@staff_required
def report(request: PersonRequest) -> HttpResponse:
    """Attainment and percentiles of a month, overall and by what people ask for."""
    shown = report_page.read_month(request.GET.get("month", ""))
    seen = report_page.page(access.tickets(request.user), shown, by=BY)
    return render(request, "desk/reports/report.html", {"seen": seen, "nav": "reports"})


@require_safe
@staff_required
def report_file(request: PersonRequest, kind: str) -> HttpResponseBase:
    """The same month as a file."""
    if kind not in FORMATS:
        raise Http404
    shown = report_page.read_month(request.GET.get("month", ""))
    return report_page.download(request, kind, shown, access.tickets(request.user), "sla")
