"""An incident's page: what it is, whom it hurts, whose clock runs out first, and what to do."""

from datetime import timedelta

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from fleet.access import PersonRequest, ops_required, staff_required
from fleet.changes.errors import Refused
from tickets.desk.incidents import live, queries
from tickets.desk.incidents.forms import SnoozeForm, TellForm
from tickets.desk.incidents.placing import act
from tickets.incidents import services, triage
from tickets.incidents.models import Incident
from tickets.incidents.queries import hits_of
from tickets.incidents.recover import is_clear
from tickets.live_page import Live, page


@require_safe
@staff_required
def incident(request: PersonRequest, pk: int) -> HttpResponse:
    """The whole page."""
    return _page(request, queries.incident_or_404(request.user, pk), TellForm(), SnoozeForm())


@require_safe
@staff_required
def incident_parts(request: PersonRequest, pk: int) -> HttpResponse:
    """What changes by itself, once more."""
    queries.incident_or_404(request.user, pk)
    return HttpResponse(_live(request, pk).rows)


def _live(request: PersonRequest, pk: int) -> Live:
    return Live(live.INCIDENT, str(pk), request.user, reverse("incident_parts", args=[pk]))


def _page(
    request: PersonRequest, row: Incident, tell: TellForm, snooze: SnoozeForm, *, status: int = 200
) -> HttpResponse:
    told = [hit for hit in hits_of(row) if hit.ticket.is_live]
    context = {"incident": row, "tell_form": tell, "snooze_form": snooze, "told": told}
    context |= {"steps": triage.ORDER, "closable": is_clear(row)}
    lives = [_live(request, row.pk)]
    template = "desk/incidents/incident.html"
    return page(request, template, lives, status=status, nav="board", **context)


@require_POST
@ops_required
def take(request: PersonRequest, pk: int) -> HttpResponseBase:
    """I have it."""
    return act(request, pk, lambda row: services.take(row, actor=request.user))


@require_POST
@ops_required
def wake(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Back on top of the board."""
    return act(request, pk, lambda row: services.wake(row, actor=request.user))


@require_POST
@ops_required
def snooze(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Off the top of the board for some hours, with a reason."""
    row, form = queries.incident_or_404(request.user, pk), SnoozeForm(request.POST)
    if not form.is_valid():
        return _page(request, row, TellForm(), form, status=422)
    until = timezone.now() + timedelta(hours=form.cleaned_data["hours"])
    said = {"until": until, "reason": form.cleaned_data["reason"], "actor": request.user}
    return act(request, pk, lambda row: services.snooze(row, **said))


@require_POST
@ops_required
def tell(request: PersonRequest, pk: int) -> HttpResponseBase:
    """One text to everybody it hurts; a text that was refused is not lost."""
    row, form = queries.incident_or_404(request.user, pk), TellForm(request.POST)
    if form.is_valid():
        try:
            told = services.tell_all(row, body=form.cleaned_data["body"], actor=request.user)
            messages.success(request, _told(len(told)))
            return redirect("incident", pk=pk)
        except Refused as refused:
            form.add_error("body", str(refused))
    return _page(request, row, form, SnoozeForm(), status=422)


def _told(count: int) -> str:
    sentence = ngettext("%(count)d customer was told.", "%(count)d customers were told.", count)
    return sentence % {"count": count}
