"""Errors of the API as problem documents (RFC 9457): what, why, and which field."""

import logging
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import DataError
from django.http import Http404, HttpRequest, JsonResponse
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import HttpError, ValidationError

from fleet.changes.errors import NotAllowed, Refused, StaleState
from fleet.people.bearer import NoScope, NoToken, TooManyCalls

log = logging.getLogger(__name__)
Field = dict[str, str]


def problem(
    status: int,
    detail: str,
    *,
    errors: list[Field] | None = None,
    headers: dict[str, str] | None = None,
) -> JsonResponse:
    """One problem document. `type` names the kind for programs, `detail` is for people."""
    phrase = HTTPStatus(status).phrase
    body: dict[str, Any] = {
        "type": "urn:halfhour:problem:" + phrase.lower().replace(" ", "-"),
        "title": phrase,
        "status": status,
        "detail": detail,
        "errors": errors or [],
    }
    return JsonResponse(
        body, status=status, content_type="application/problem+json", headers=headers
    )


def add_problems(api: NinjaAPI) -> None:
    """Let the API answer every error with a problem document."""
    for kind, answer in ANSWERS.items():
        api.add_exception_handler(kind, answer)


def _no_token(request: HttpRequest, error: Any) -> JsonResponse:
    detail = _("Send a token in force: Authorization: Bearer hh_…")
    return problem(401, detail, headers={"WWW-Authenticate": 'Bearer realm="Halfhour"'})


def _no_scope(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(403, _("This token lacks the scope %(scope)s.") % {"scope": error.scope})


def _not_permitted(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(403, _("The person of this token may look here, not act."))


def _not_found(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(404, _("There is nothing of yours at this address."))


def _too_many(request: HttpRequest, error: Any) -> JsonResponse:
    detail = _("Too many calls. Try again in %(wait)d s.") % {"wait": error.wait}
    return problem(429, detail, headers={"Retry-After": str(error.wait)})


def _moved(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(409, str(error), errors=_named(error))


def _refused(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(422, _nothing(request), errors=_named(error))


def _nothing(request: HttpRequest) -> str:
    """What a refusal meant: a question has no answer, an order no effect."""
    if request.method in ("GET", "HEAD"):
        return _("This cannot be answered as it was asked: see errors.")
    return _("Nothing was changed: see errors.")


def _named(error: Refused) -> list[Field]:
    return [{"field": name, "message": str(text)} for name, text in error.errors.items()]


def _invalid(request: HttpRequest, error: Any) -> JsonResponse:
    errors = [
        {"field": _field(found["loc"]), "message": found["msg"].removeprefix("Value error, ")}
        for found in error.errors
    ]
    return problem(422, _nothing(request), errors=errors)


def _field(place: tuple[str | int, ...]) -> str:
    """The field as the caller wrote it: `paths.0.node_port`, `limit`.

    The first step is where it stood (body, query, path), the second of a body our argument's name.
    """
    steps = place[2:] if place[0] == "body" else place[1:]
    return ".".join(map(str, steps)) or str(place[0])


def _unheld(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(
        422, _("A value is out of range, or holds what no text may hold, such as a NUL.")
    )


def _too_large(request: HttpRequest, error: Any) -> JsonResponse:
    most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**10
    return problem(413, _("A call holds at most %(most)d kB.") % {"most": most})


def not_allowed(request: HttpRequest, methods: str) -> JsonResponse:
    """The answer to a method this address does not know. `methods` are those it knows."""
    detail = _("%(method)s is not for this address: use %(methods)s.")
    words = {"method": request.method, "methods": methods}
    return problem(405, detail % words, headers={"Allow": methods})


def _http(request: HttpRequest, error: Any) -> JsonResponse:
    return problem(error.status_code, str(error))


def _broken(request: HttpRequest, error: Exception) -> JsonResponse:
    log.error("API call failed: %s %s", request.method, request.path, exc_info=error)
    return problem(500, _("Something broke on our side; it is in the log."))


ANSWERS: dict[type[Exception], Any] = {
    NoToken: _no_token,
    NoScope: _no_scope,
    TooManyCalls: _too_many,
    PermissionDenied: _not_permitted,
    Http404: _not_found,
    NotAllowed: _moved,
    StaleState: _moved,
    Refused: _refused,
    ValidationError: _invalid,
    HttpError: _http,
    DataError: _unheld,
    OverflowError: _unheld,
    RequestDataTooBig: _too_large,
    Exception: _broken,
}
