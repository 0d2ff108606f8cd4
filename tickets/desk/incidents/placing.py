"""What staff say of an incident's place, its end and its triage: plain POSTs, back to its page."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from diagnostics.examine import services as examinations
from fleet import typed
from fleet.access import PersonRequest, ops_required
from fleet.changes.errors import Refused
from fleet.people.models import User
from tickets.desk.incidents import queries
from tickets.incidents import placing, triage
from tickets.incidents.models import Incident
from tickets.incidents.queries import incidents


def act(request: PersonRequest, pk: int, do: Callable[[Incident], object]) -> HttpResponseBase:
    """Do it to an incident this person sees; what is refused is said on its page."""
    row = queries.incident_or_404(request.user, pk)
    try:
        do(row)
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("incident", pk=pk)


@require_POST
@ops_required
def merge(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Into another incident, by its number."""
    said = request.POST.get("into", "")

    def do(row: Incident) -> None:
        placing.merge(row, into=_named(request.user, said), actor=request.user)

    return act(request, pk, do)


def _named(user: User, said: str) -> Incident:
    """The incident of this number, as in `!12`. Raises Refused."""
    number = typed.number(said.strip().lstrip("!！#"))
    rows = incidents(user).select_related("node__provider")
    found = rows.filter(pk=number).first() if number is not None else None
    if found is None:
        raise Refused(_("There is no such incident. Give its number, such as 12."))
    return found


@require_POST
@ops_required
def split(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Out of what it is part of."""
    return act(request, pk, lambda row: placing.split(row, actor=request.user))


@require_POST
@ops_required
def close(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Over, though nothing says so by itself."""
    return act(request, pk, lambda row: placing.close(row, actor=request.user))


@require_POST
@ops_required
def reopen(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Work on it again."""
    return act(request, pk, lambda row: placing.reopen(row, actor=request.user))


@require_POST
@ops_required
def mark(request: PersonRequest, pk: int) -> HttpResponseBase:
    """A step of the triage is done."""
    said = {name: request.POST.get(name, "") for name in ("step", "note")}
    return act(request, pk, lambda row: triage.mark(row, **said, actor=request.user))


@require_POST
@ops_required
def examine(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Ask for a visit to its host now."""
    messages.success(request, _("The examination is queued; its result appears here by itself."))
    return act(request, pk, lambda row: examinations.ask(row.node, by=request.user))
