"""The threads: bounded, collected by one, ended cleanly; and the tick that feeds them."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from diagnostics.examine import services
from diagnostics.examine.models import Examination, VisitRequest, Watch
from diagnostics.examine.pool import Keeper, Pool
from diagnostics.examine.record import VisitPlan
from diagnostics.probes.reading import Expectation
from fleet.transport.result import Unreachable
from tests.diagnostics.examine.conftest import Hosts, free, outcome


def plan(number: int, **fields) -> VisitPlan:
    made = {"token": "t", "deadline": time.monotonic() + 45, "address": None}
    return VisitPlan(number, f"n{number}", expectation=Expectation(), **{**made, **fields})


def drain(pool: Pool, seconds: float = 5) -> list:
    found, until = [], time.monotonic() + seconds
    while pool.pending and time.monotonic() < until:
        outcomes, ended = pool.take(timeout=0.1, gather=0)
        pool.settled(ended)
        found += outcomes
    return found


def test_no_more_visits_run_at_once_than_there_are_threads() -> None:
    running, most, lock = [0], [0], threading.Lock()

    def errand(plan, runner, *, pause):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return outcome(plan)

    pool = Pool(Hosts(), workers=4, errand=errand)
    pool.submit(plan(n) for n in range(30))
    assert pool.room() == 0
    assert len(drain(pool)) == 30
    assert most[0] == 4
    assert pool.room() == 8
    pool.stop()


def test_the_first_result_is_handed_over_at_once() -> None:
    def errand(plan, runner, *, pause):
        time.sleep(0 if plan.node_id == 1 else 1)
        return outcome(plan)

    pool = Pool(Hosts(), workers=4, errand=errand)
    pool.submit([plan(1), plan(2)])
    begun = time.monotonic()
    outcomes, ended = pool.take(timeout=2, gather=0)
    assert [each.plan.node_id for each in outcomes] == [1]
    assert ended == 1
    assert time.monotonic() - begun < 0.5
    pool.stop()


def test_a_visit_that_breaks_takes_no_thread_with_it() -> None:
    def errand(plan, runner, *, pause):
        if plan.node_id == 1:
            raise RuntimeError("a defect")
        return outcome(plan)

    pool = Pool(Hosts(), workers=1, errand=errand)
    pool.submit([plan(1), plan(2)])
    assert [each.plan.node_id for each in drain(pool)] == [2]
    pool.stop()


def test_stopping_calls_waits_off_and_closes_the_connections() -> None:
    hosts, waiting = Hosts(), threading.Event()

    def errand(plan, runner, *, pause):
        waiting.set()
        return None if pause(30) else outcome(plan)

    pool = Pool(hosts, workers=1, errand=errand)
    pool.submit([plan(1), plan(2)])
    waiting.wait(2)
    begun = time.monotonic()
    pool.stop()
    pool._threads.shutdown(wait=True)
    assert time.monotonic() - begun < 1
    assert hosts.closed
    assert pool.room() == 0


@pytest.fixture
def pooled(hosts: Hosts, monkeypatch):
    """The examiner's pool with hosts that are played."""
    pool = Pool(hosts, workers=4)
    monkeypatch.setattr(services, "POOL", Keeper(lambda: pool))
    yield pool
    pool.stop()


@pytest.mark.django_db(transaction=True)
def test_a_tick_examines_what_is_due_and_only_that(watched, pooled: Pool, settings) -> None:
    settings.EXAMINERS = 1
    nodes = watched(5)
    Watch.objects.filter(node=nodes[0]).update(due_at=timezone.now() + timedelta(seconds=40))
    assert services.tick(0) == 4
    assert set(Examination.objects.values_list("node", flat=True)) == {n.pk for n in nodes[1:]}
    assert services.tick(0) == 0
    assert all(map(free, nodes))


@pytest.mark.django_db(transaction=True)
def test_a_tick_during_another_only_adds_its_nodes(watched, pooled: Pool, settings) -> None:
    settings.EXAMINERS = 1
    with pooled.collecting:
        watched(3)
        assert services.tick(0) == 3
        assert not Examination.objects.exists()
    services.collect(pooled)
    assert Examination.objects.count() == 3


@pytest.mark.django_db(transaction=True)
def test_a_requested_visit_is_made_at_once(watched, pooled: Pool, make_user) -> None:
    (node,) = watched()
    Watch.objects.update(due_at=timezone.now() + timedelta(seconds=50))
    person = make_user()
    row = services.ask(node, by=person)
    assert services.ask(node, by=None) == row
    assert services.visit_requested(row.pk)
    row.refresh_from_db()
    assert (row.state, row.asked_by) == ("done", person)
    assert not services.visit_requested(row.pk)
    assert not services.visit_requested(999_999)
    assert services.ask(node, by=None) != row


@pytest.mark.django_db(transaction=True)
def test_a_busy_database_is_tried_again(watched, pooled: Pool, settings, monkeypatch) -> None:
    settings.EXAMINERS = 1
    watched(2)
    real, failures = services.settle, [OperationalError("database is locked")]

    def locked_once(outcomes):
        if failures:
            raise failures.pop()
        return real(outcomes)

    monkeypatch.setattr(services, "settle", locked_once)
    services.tick(0)
    assert Examination.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_one_outcome_that_cannot_be_written_costs_no_other(watched, take) -> None:
    nodes = watched(3)
    good = [outcome(each) for each in take(*nodes)]
    from dataclasses import replace

    bad = replace(good[1], verdict="x" * 5000, host_ms="no number")
    assert services.write([good[0], bad, good[2]]) == 2
    assert Examination.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_stopping_examiner_gives_its_nodes_back(watched, hosts, settings, monkeypatch) -> None:
    settings.EXAMINERS = 1
    waiting = threading.Event()

    def unreachable() -> bytes:
        waiting.set()
        raise Unreachable

    pool = Pool(hosts, workers=1)
    monkeypatch.setattr(services, "POOL", Keeper(lambda: pool))
    nodes = watched(2)
    for node in nodes:
        hosts.answers[node.address] = unreachable

    def run() -> None:
        services.tick(0)
        connection.close()

    worker = threading.Thread(target=run)
    worker.start()
    assert waiting.wait(5)
    services.stop()
    worker.join(5)
    assert not worker.is_alive()
    assert all(map(free, nodes))
    assert not Watch.objects.filter(due_at__gt=timezone.now()).exists()


@pytest.mark.django_db
def test_old_examinations_go_and_young_ones_stay(make_node) -> None:
    node, now = make_node(), timezone.now()
    for days in (40, 31, 29, 0):
        at = now - timedelta(days=days)
        Examination.objects.create(node=node, started_at=at, ended_at=at, reached="ok")
    assert services.prune(before=now - timedelta(days=30), at_once=1) == 2
    assert Examination.objects.count() == 2


@pytest.mark.django_db
def test_only_requests_queued_for_long_are_nudged_again(make_node, settings) -> None:
    old, _young = (VisitRequest.objects.create(node=make_node()) for _ in range(2))
    VisitRequest.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(seconds=20))
    assert services.renudge(older_than_s=15) == 1
