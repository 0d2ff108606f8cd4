"""What a finished visit writes, and when it writes nothing."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.examine import claim, settle
from diagnostics.examine.models import Examination, ReadingChange, VisitRequest, Watch
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from diagnostics.probes.reading import Reading, Verdict
from fleet.changes.models import Event
from fleet.live.models import LiveVersion
from tests.diagnostics.examine.conftest import GREEN, outcome

pytestmark = pytest.mark.django_db
LOST = Reading("node_reachable", "node", Verdict.FAIL, "node_unreachable", "node_unreachable")
UNSEEN = Reading("node_reachable", "node", Verdict.UNKNOWN, "not_reached")


def versions() -> dict[str, int]:
    return dict(LiveVersion.objects.values_list("region", "version"))


def visit(take, node, *readings, **fields) -> int:
    return settle.settle([outcome(take(node)[0], *readings, **fields)])


def test_a_visit_is_stored_and_its_claim_released(watched, take) -> None:
    (node,) = watched()
    assert visit(take, node, memory={"cursor": "s=1"}) == 1
    watch, row = Watch.objects.get(), Examination.objects.get()
    assert (watch.token, watch.claimed_until) == ("", None)
    assert watch.examined_at == row.ended_at
    assert watch.memory["cursor"] == "s=1"
    assert watch.readings == [
        {
            "probe": "node_reachable",
            "layer": "access",
            "target": "node",
            "verdict": "ok",
            "code": "",
            "reason": "node_reached",
            "values": {},
        }
    ]


def test_a_visit_whose_claim_another_examiner_took_writes_nothing(watched, take) -> None:
    (node,) = watched()
    stale = outcome(take(node)[0], LOST)
    Watch.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    fresh = outcome(take(node)[0], GREEN)
    assert settle.settle([stale]) == 0
    assert settle.settle([fresh]) == 1
    assert settle.settle([stale]) == 0
    assert Examination.objects.count() == 1
    assert not Finding.objects.exists()
    assert Watch.objects.get().verdict == "ok"


def test_a_visit_settled_after_its_claim_ran_out_writes_nothing(watched, take) -> None:
    (node,) = watched()
    late = outcome(take(node)[0], LOST)
    Watch.objects.update(claimed_until=timezone.now() - timedelta(seconds=1))
    assert settle.settle([late]) == 0
    assert not Examination.objects.exists()


def test_a_verdict_that_changes_is_recorded_once_with_the_whole_set(watched, take) -> None:
    (node,) = watched()
    for readings in ((GREEN,), (GREEN,), (LOST,), (LOST,), (GREEN,)):
        visit(take, node, *readings)
    changes = [(row.before, row.after) for row in ReadingChange.objects.order_by("pk")]
    assert changes == [("ok", "fail"), ("fail", "ok")]
    whole = [row.whole is not None for row in Examination.objects.order_by("pk")]
    assert whole == [True, False, True, False, True]


def test_a_visit_that_was_asked_for_keeps_its_set_and_ends_the_request(watched, take) -> None:
    (node,) = watched()
    visit(take, node)
    asked = VisitRequest.objects.create(node=node)
    visit(take, node)
    asked.refresh_from_db()
    assert asked.state == "done"
    assert asked.examination.whole is not None
    assert asked.examination.asked


def test_a_request_made_during_a_visit_waits_for_the_next(watched, take) -> None:
    (node,) = watched()
    VisitRequest.objects.create(node=node)
    running = outcome(take(node)[0], started_at=time.time() - 30)
    VisitRequest.objects.update(created_at=timezone.now() - timedelta(seconds=5))
    settle.settle([running])
    assert VisitRequest.objects.get().state == "queued"


def test_a_fault_is_one_open_finding_until_an_explicit_green(watched, take) -> None:
    (node,) = watched()
    for reading in (LOST, LOST, UNSEEN):
        visit(take, node, reading)
    found = Finding.objects.get()
    assert (found.code, found.state, found.severity) == ("node_unreachable", "open", "critical")
    assert found.opened_at < found.last_seen_at
    visit(take, node, GREEN)
    found.refresh_from_db()
    assert found.state == FindingState.CLEARED
    assert found.cleared_at == Watch.objects.get().examined_at
    visit(take, node, LOST)
    assert Finding.objects.count() == 2


def test_a_finding_knows_its_card_lease_and_port(watched, take, make_lease, make_path) -> None:
    (node,) = watched(gpus=2)
    gpu = node.gpus.first()
    lease = make_lease(node=node, gpus=[gpu])
    path = make_path(lease=lease)
    plan = take(node)[0]
    readings = [
        Reading("gpu_state", f"gpu:{gpu.uuid}", Verdict.FAIL, "gpu_lost", "gpu_fallen_off_bus"),
        Reading("access_path", f"path:{path.pk}", Verdict.FAIL, "path_refused", "port_unreachable"),
    ]
    settle.settle([outcome(plan, *readings)])
    of_gpu = Finding.objects.get(code="gpu_fallen_off_bus")
    of_path = Finding.objects.get(code="port_unreachable")
    assert (of_gpu.gpu, of_gpu.lease, of_gpu.path) == (gpu, lease, None)
    assert (of_path.gpu, of_path.lease, of_path.path) == (None, lease, path)


def test_a_consequence_points_at_its_root_and_stands_alone_when_the_root_clears(
    watched, take
) -> None:
    (node,) = watched(gpus=1)
    target = f"gpu:{node.gpus.get().uuid}"
    gone = Reading("gpu_state", target, Verdict.FAIL, "gpu_lost", "gpu_fallen_off_bus")
    back = Reading("gpu_state", target, Verdict.OK, "gpu_answers")
    short = Reading("gpu_count", "node", Verdict.FAIL, "gpus_missing", "gpu_missing")
    visit(take, node, short)
    assert Finding.objects.get().root is None
    visit(take, node, short, gone)
    root, consequence = (Finding.objects.get(code=r.code) for r in (gone, short))
    assert (root.root, consequence.root) == (None, root)
    for _ in range(3):
        visit(take, node, short, back)
    consequence.refresh_from_db()
    assert consequence.root is None
    assert consequence.state == FindingState.OPEN


def test_a_finding_another_process_opened_first_is_taken_over(
    watched, take, make_finding, monkeypatch
) -> None:
    (node,) = watched()
    plan = take(node)[0]
    from diagnostics.findings import settle as findings

    before = findings._open_rows

    def blind(nodes):
        rows = before(nodes)
        make_finding(node=node, code="node_unreachable", target="node")
        return rows

    monkeypatch.setattr(findings, "_open_rows", blind)
    assert settle.settle([outcome(plan, LOST)]) == 1
    assert Finding.objects.count() == 1


def test_pages_hear_of_what_changed_and_only_of_that(
    watched, take, make_lease, django_capture_on_commit_callbacks
) -> None:
    (node,) = watched()
    lease = make_lease(node=node)
    visit(take, node, GREEN)
    first = versions()
    visit(take, node, GREEN)
    second = versions()
    assert second[f"node:{node.pk}"] == first[f"node:{node.pk}"] + 1
    assert second.get("board") == first.get("board")
    assert second.get(f"lease:{lease.pk}") == first.get(f"lease:{lease.pk}")
    visit(take, node, LOST)
    third = versions()
    for region in ("board", "fleet", f"lease:{lease.pk}", f"mine:{lease.customer_id}"):
        assert third[region] == second.get(region, 0) + 1


def test_a_new_driver_is_an_event_with_before_and_after(watched, take) -> None:
    (node,) = watched(gpus=1)
    uuid = node.gpus.get().uuid
    for driver, watts in (("570.1", 450.0), ("570.1", 450.0), ("580.2", 300.0)):
        facts = {"driver": driver, "gpus": {uuid: {"power_limit_w": watts}}}
        visit(take, node, facts=facts)
    told = {row.kind: row.data for row in Event.objects.filter(node_id=node.pk)}
    assert told["driver_changed"] == {"before": "570.1", "after": "580.2", "gpu": ""}
    assert told["power_limit_changed"] == {"before": 450.0, "after": 300.0, "gpu": uuid}
    assert Event.objects.filter(kind="driver_changed").count() == 1


def queries(take, nodes, *readings) -> int:
    plans = take(*nodes)
    with CaptureQueriesContext(
        connection,
    ) as seen:
        settle.settle([outcome(plan, *readings) for plan in plans])
    return len(seen)


def test_settling_more_nodes_takes_no_more_statements(watched, take) -> None:
    few, many = watched(10), watched(40)
    queries(take, few), queries(take, many)
    assert queries(take, few) == queries(take, many)


def test_planning_more_visits_takes_no_more_queries(watched, make_lease, make_path) -> None:
    from diagnostics.examine.plan import plans

    def count(nodes) -> int:
        for node in nodes:
            lease = make_lease(node=node, gpus=list(node.gpus.all()))
            make_path(lease=lease)
        token = claim.claim_nodes([node.pk for node in nodes], now=timezone.now())
        with CaptureQueriesContext(connection) as seen:
            made = plans(claim.claimed(token), deadline=0.0)
        assert len(made) == len(nodes)
        assert all(plan.expectation.paths and plan.address for plan in made)
        return len(seen)

    assert count(watched(10, gpus=2)) == count(watched(60, gpus=2)) <= 10


def silent(plans, ended: float | None = None):
    at = ended or time.time()
    return [outcome(plan, LOST, reached="unreachable", ended_at=at) for plan in plans]


def test_when_most_of_the_fleet_falls_silent_at_once_no_node_is_accused(
    watched, take, make_provider
) -> None:
    provider = make_provider()
    nodes = watched(8, provider=provider)
    plans = take(*nodes)
    settle.settle([*silent(plans[:5]), *(outcome(plan) for plan in plans[5:])])
    assert not Finding.objects.exists()
    held = Watch.objects.get(node=plans[0].node_id)
    assert held.readings[0]["reason"] == "is_it_us"
    assert held.verdict == "unknown"


def test_a_few_silent_nodes_among_many_are_accused(watched, take, make_provider) -> None:
    plans = take(*watched(8, provider=make_provider()))
    settle.settle([*silent(plans[:3]), *(outcome(plan) for plan in plans[3:])])
    assert Finding.objects.filter(code="node_unreachable").count() == 3


def test_silent_nodes_that_end_in_many_small_batches_are_still_counted_together(
    watched, take, make_provider
) -> None:
    plans = take(*watched(12, provider=make_provider()))
    for plan in plans:
        settle.settle(silent([plan]))
    assert Finding.objects.count() <= 5


def test_times_are_those_of_the_visit_s_end(watched, take) -> None:
    (node,) = watched()
    at = time.time() - 3
    visit(take, node, LOST, started_at=at - 2, ended_at=at)
    assert Finding.objects.get().opened_at == datetime.fromtimestamp(at, UTC)
