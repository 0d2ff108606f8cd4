"""Pages of the inventory: import a list, enrol a node."""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from fleet.access import PersonRequest, in_drill, node_or_404, ops_required
from fleet.changes.errors import Refused
from fleet.inventory.contexts import enrolment, import_report
from fleet.inventory.forms import ImportForm
from fleet.inventory.importing.columns import NAMES, REQUIRED
from fleet.inventory.importing.drafts import import_draft, preview
from fleet.inventory.models import HostKey, ImportDraft
from fleet.inventory.services import ask_for_scan, enrol, refuse_host_key


@ops_required
def import_nodes(request: PersonRequest) -> HttpResponse:
    """Take a list, keep it, and show what it would do."""
    if in_drill(request.user):
        return render(request, "fleet/inventory/import_in_drill.html", {"nav": "fleet"})
    sent = request.method == "POST"
    form = ImportForm(request.POST, request.FILES) if sent else ImportForm()
    if sent and form.is_valid() and (draft := form.keep(request.user)):
        return redirect("import_draft", draft.pk)
    page = {"nav": "fleet", "form": form, "columns": NAMES, "required": REQUIRED}
    return render(request, "fleet/inventory/import.html", page)


@ops_required
def show_import(request: PersonRequest, pk: int) -> HttpResponse:
    """The report of a kept list: what it would do, and after the press what it did."""
    if in_drill(request.user):
        return redirect("import_nodes")
    draft = get_object_or_404(ImportDraft, pk=pk, user=request.user)
    if request.method == "POST":
        import_draft(draft)
        return redirect("import_draft", draft.pk)
    report = import_report(draft, draft.report or preview(draft))
    page = {"nav": "fleet", "draft": draft, "report": report}
    return render(request, "fleet/inventory/import_report.html", page)


@require_GET
@ops_required
def show_enrolment(request: PersonRequest, pk: int) -> HttpResponse:
    """The keys of a node, ours and its own; htmx asks for the part that follows the scan."""
    page = {"nav": "fleet", "enrolment": enrolment(node_or_404(request.user, pk))}
    part = "_keys.html" if request.htmx else "enrol.html"
    return render(request, f"fleet/inventory/{part}", page)


@require_POST
@ops_required
def scan_node(request: PersonRequest, pk: int) -> HttpResponseBase:
    """Ask for a look at the node's host key."""
    ask_for_scan(node=node_or_404(request.user, pk), actor=request.user)
    return redirect("enrol_node", pk)


@require_POST
@ops_required
def pin_key(request: PersonRequest, pk: int, key_pk: int) -> HttpResponseBase:
    """Trust the offered key; a node that waited for it goes into service."""
    key = get_object_or_404(HostKey, pk=key_pk, node=node_or_404(request.user, pk))
    try:
        enrol(key=key, fingerprint=request.POST.get("fingerprint", ""), actor=request.user)
        messages.success(request, _("The host key is pinned."))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("enrol_node", pk)


@require_POST
@ops_required
def refuse_key(request: PersonRequest, pk: int, key_pk: int) -> HttpResponseBase:
    """Say that the offered key is not the node's."""
    key = get_object_or_404(HostKey, pk=key_pk, node=node_or_404(request.user, pk))
    try:
        refuse_host_key(key=key, actor=request.user)
        messages.warning(request, _("The key is refused. Find out who answers at this address."))
    except Refused as refused:
        messages.error(request, str(refused))
    return redirect("enrol_node", pk)
