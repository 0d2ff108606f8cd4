"""`/livez`: this process answers. `/healthz`: every part serves, or which does not."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from diagnostics.examine.queries import sweep_state
from fleet.live import wire
from fleet.live.rendering import tidy

DEADLINE_S = 2.5
QUIET_S = 30.0
Part = dict[str, Any]
pool = ThreadPoolExecutor(8, "health")


def database() -> Part:
    """One round trip."""
    started = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return {"ok": True, "ms": round((time.monotonic() - started) * 1000, 1)}


def broker() -> Part:
    """One round trip; never more than half a second."""
    return {"ok": wire.answers()}


def processes(*names: str) -> Part:
    """When each of these last said on the wire that it works, in seconds ago."""
    now, stamps = time.time(), wire.stamps()
    ages = {name: round(now - stamps[name], 1) if name in stamps else None for name in names}
    return {"ok": all(age is not None and age < QUIET_S for age in ages.values()), "age_s": ages}


def workers() -> Part:
    """Examiners and the clock: a worker is alive when it takes work, not when it is connected."""
    return processes(*(f"examiner.{number}" for number in range(settings.EXAMINERS)), "clock")


def beat() -> Part:
    return processes("beat")


def sweep() -> Part:
    """How old the oldest examination is, and whether a claim was left behind."""
    state = sweep_state()
    return {
        "ok": state.healthy,
        "last_sweep_age_s": _rounded(state.oldest_s),
        "last_visit_age_s": _rounded(state.newest_s),
        "oldest_claim_s": _rounded(state.claim_s),
        "nodes": state.nodes,
        "overdue": state.overdue,
        "never_examined": state.never,
        "visits_queued": state.queued,
    }


PARTS: dict[str, Callable[[], Part]] = {
    "database": database,
    "broker": broker,
    "workers": workers,
    "beat": beat,
    "sweep": sweep,
}


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 only when every part serves, else 503; answers within three seconds either way."""
    report = examine(PARTS)
    healthy = all(part["ok"] for part in report.values())
    return JsonResponse({"ok": healthy, **report}, status=200 if healthy else 503)


@never_cache
@require_safe
def livez(request: HttpRequest) -> HttpResponse:
    """This process answers; nothing else is asked."""
    return HttpResponse("alive\n", content_type="text/plain")


def examine(parts: dict[str, Callable[[], Part]]) -> dict[str, Part]:
    """Ask all parts at once; one that breaks or stays silent is not ok."""
    asked = {name: pool.submit(tidy, part) for name, part in parts.items()}
    wait(asked.values(), timeout=DEADLINE_S)
    return {name: _answer(future) for name, future in asked.items()}


def _answer(future: "Future[Part]") -> Part:
    if not future.done():
        return {"ok": False, "error": "no answer"}
    error = future.exception()
    return future.result() if error is None else {"ok": False, "error": type(error).__name__}


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
