"""`/healthz`: 200 only when every part serves, and an answer in time whatever hangs."""

import json
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from config import health
from fleet.live import wire
from tests.parts.valkey import Valkey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
EVERYBODY = ("examiner.0", "examiner.1", "clock", "beat")


@pytest.fixture
def alive(private_valkey: Valkey, settings: Any) -> Iterator[Valkey]:
    """All processes said that they work, on this test's own Valkey."""
    settings.REDIS_URL, settings.EXAMINERS = private_valkey.url, 2
    wire.breaker.worked()
    for name in EVERYBODY:
        wire.stamp(name)
    yield private_valkey
    wire.breaker.worked()


def ask(client: Client) -> tuple[int, dict[str, Any]]:
    answer = client.get("/healthz")
    return answer.status_code, json.loads(answer.content)


def test_all_parts_serve(alive: Valkey, client: Client) -> None:
    status, report = ask(client)
    assert status == 200, report
    assert set(report) == {"ok", "database", "broker", "workers", "beat", "sweep"}
    assert all(part["ok"] for name, part in report.items() if name != "ok")


@pytest.mark.parametrize("name", EVERYBODY)
def test_one_silent_process_turns_it_red(name: str, alive: Valkey, client: Client) -> None:
    late = time.time() - health.QUIET_S - 1
    wire.attempt(lambda redis: redis.hset(wire.ALIVE, name, f"{late:.3f}"), 0)
    status, report = ask(client)
    assert status == 503
    assert not report["beat" if name == "beat" else "workers"]["ok"]


@pytest.mark.parametrize("away", ["stop", "freeze"])
def test_a_lost_broker_turns_it_red_within_three_seconds(
    away: str, alive: Valkey, client: Client
) -> None:
    getattr(alive, away)()
    started = time.monotonic()
    status, report = ask(client)
    assert time.monotonic() - started < 3
    assert status == 503
    assert not report["broker"]["ok"]
    assert report["database"]["ok"]


def test_a_node_nobody_examines_any_more_turns_it_red(
    alive: Valkey, client: Client, make_watch: Any
) -> None:
    make_watch(examined_at=timezone.now() - timedelta(seconds=200))
    status, report = ask(client)
    assert status == 503
    assert report["sweep"]["overdue"] == 1
    assert report["sweep"]["last_sweep_age_s"] == pytest.approx(200, abs=5)


def test_a_part_that_hangs_or_breaks_is_named_and_delays_nobody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(health, "DEADLINE_S", 0.2)
    started = time.monotonic()
    report = health.examine(
        {
            "good": lambda: {"ok": True},
            "hangs": lambda: time.sleep(1) or {"ok": True},
            "breaks": lambda: {"ok": 1 / 0},
        }
    )
    assert time.monotonic() - started < 0.5
    assert report == {
        "good": {"ok": True},
        "hangs": {"ok": False, "error": "no answer"},
        "breaks": {"ok": False, "error": "ZeroDivisionError"},
    }
