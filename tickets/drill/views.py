"""The drill page: break simulated nodes, practise, make them well again."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from fleet.access import PersonRequest, ops_required, staff_required
from fleet.simulator.control import SimulatorError
from tickets.drill import queries, services
from tickets.drill.forms import ClearForm, InjectForm


@require_safe
@staff_required
def drill(request: PersonRequest) -> HttpResponse:
    """What is injected now, and the form to inject more."""
    nodes = queries.nodes(request.user)
    form = InjectForm(nodes=nodes, initial={"node": request.GET.get("node", "")})
    return _page(request, form)


@require_POST
@ops_required
def inject(request: PersonRequest) -> HttpResponseBase:
    """Let a fault happen."""
    form = InjectForm(request.POST, nodes=queries.nodes(request.user))
    if not form.is_valid():
        return _page(request, form, status=422)
    try:
        messages.success(request, services.inject(**form.cleaned_data))
    except SimulatorError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    return redirect("drill")


@require_POST
@ops_required
def clear(request: PersonRequest) -> HttpResponseBase:
    """Make a node well."""
    form = ClearForm(request.POST, nodes=queries.nodes(request.user))
    try:
        if form.is_valid():
            messages.success(request, services.clear(by=request.user, **form.cleaned_data))
        else:
            messages.error(request, _("There is no such node in the drill."))
    except SimulatorError as error:
        messages.error(request, str(error))
    return redirect("drill")


def _page(request: PersonRequest, form: InjectForm, *, status: int = 200) -> HttpResponse:
    """A simulator that is down is said on the page; the rest of the page still stands."""
    context: dict[str, object] = {"nav": "drill", "form": form}
    try:
        context["injected"] = services.injected(queries.nodes(request.user))
    except SimulatorError as error:
        context["down"] = str(error)
    return render(request, "drill/drill.html", context, status=status)
