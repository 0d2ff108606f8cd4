"""The API at /api/v1: the routers of each subject. openapi.json describes it."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_safe
from ninja import NinjaAPI, Router

from config.problems import add_problems
from diagnostics.findings.api import router as findings
from fleet.changes.api import router as events
from fleet.inventory.api import router as nodes
from fleet.leases.api import router as leases

METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"]

api = NinjaAPI(
    title="Halfhour",
    version=settings.VERSION,
    description=(
        "Bearer tokens with scopes (`manage.py token create`). Lists are paged with `limit` and "
        "`offset`. Errors are problem documents (application/problem+json). Times are RFC 3339 "
        "with a zone."
    ),
    urls_namespace="api",
    openapi_url="/openapi.json",
    # Ninja's own page loads scripts from elsewhere; the description is enough for every tool.
    docs_url=None,
)
last = Router()


@last.api_operation(METHODS, "/{path:rest}", include_in_schema=False, url_name="nowhere")
def nowhere(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer for addresses that do not exist in the API's own way."""
    raise Http404


add_problems(api)
for name, router in (
    ("/nodes", nodes),
    ("/leases", leases),
    ("/findings", findings),
    ("/events", events),
    ("", last),
):
    api.add_router(name, router)


@require_safe
def entrance(request: HttpRequest) -> JsonResponse:
    """Where to read what the API can do."""
    return JsonResponse({"name": api.title, "openapi": reverse("api:openapi-json")})
