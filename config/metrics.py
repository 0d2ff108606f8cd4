"""`/metrics` for Prometheus: what the database says, and what this web process counted."""

import hmac
from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from diagnostics.examine.models import Watch
from diagnostics.examine.queries import sweep_state
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.inventory.states import NodeState
from fleet.nudge import FAILURES

LOOPBACK = {"127.0.0.1", "::1"}


class Facts(Collector):
    """Gauges read from the database at each scrape, so every web process says the same. Drill
    nodes have `drill="true"`: rules for a real fleet must leave them out."""

    def collect(self) -> Iterator[Metric]:
        yield self._findings()
        yield self._nodes()
        yield from self._sweep()

    def _findings(self) -> Metric:
        gauge = GaugeMetricFamily(
            "halfhour_findings_open", "Open findings.", labels=["severity", "drill"]
        )
        rows = Finding.objects.filter(state=FindingState.OPEN)
        for severity, drill, count in rows.values_list(
            "severity", "node__provider__simulated"
        ).annotate(count=Count("pk")):
            gauge.add_metric([severity, _word(drill)], count)
        return gauge

    def _nodes(self) -> Metric:
        gauge = GaugeMetricFamily(
            "halfhour_nodes", "Nodes in service by verdict.", labels=["verdict", "drill"]
        )
        rows = Watch.objects.filter(node__state__in=[NodeState.ACTIVE, NodeState.QUARANTINED])
        for verdict, drill, count in rows.values_list(
            "verdict", "node__provider__simulated"
        ).annotate(count=Count("pk")):
            gauge.add_metric([verdict, _word(drill)], count)
        return gauge

    def _sweep(self) -> Iterator[Metric]:
        state = sweep_state()
        for name, text, value in (
            (
                "sweep_age_seconds",
                "Since the longest unexamined node was examined.",
                state.oldest_s,
            ),
            ("visit_age_seconds", "Since the last visit of all.", state.newest_s),
            ("claim_age_seconds", "Age of the oldest unsettled claim.", state.claim_s),
            ("nodes_overdue", "Nodes not examined for 150 s.", state.overdue),
            ("nodes_never_examined", "Nodes in service not examined yet.", state.never),
            ("visits_queued", "Visits people asked for and wait for.", state.queued),
        ):
            if value is not None:
                yield GaugeMetricFamily(f"halfhour_{name}", text, value=value)


registry = CollectorRegistry()
registry.register(Facts())
registry.register(FAILURES)


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """For the machine itself, or with `Authorization: Bearer` and HALFHOUR_METRICS_TOKEN; 404
    for everybody else."""
    if not (_at_home(request) or _with_token(request)):
        raise Http404
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _at_home(request: HttpRequest) -> bool:
    """From loopback and not through a proxy, whose address would be loopback for strangers too."""
    forwarded = "X-Forwarded-For" in request.headers or "Forwarded" in request.headers
    return request.META.get("REMOTE_ADDR") in LOOPBACK and not forwarded


def _with_token(request: HttpRequest) -> bool:
    sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
    wanted: str = settings.METRICS_TOKEN
    return bool(wanted) and hmac.compare_digest(sent.encode(), wanted.encode())


def _word(flag: bool) -> str:
    return "true" if flag else "false"
