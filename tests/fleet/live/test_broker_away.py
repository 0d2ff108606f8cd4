"""Valkey stopped or frozen: nobody waits, pages notice, everything comes back by itself."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import transaction

from config.celery import app as celery_app
from fleet import nudge as nudging
from fleet.live import wire
from fleet.live.models import LiveVersion
from fleet.live.region import bump
from fleet.people.models import Customer, Role
from tests.parts.valkey import Valkey

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.worker]
Make = Callable[..., Any]
AWAY = pytest.mark.parametrize("away", ["stop", "freeze"])


def seconds(call: Callable[[], Any]) -> float:
    started = time.monotonic()
    call()
    return time.monotonic() - started


@AWAY
def test_a_bump_never_waits_long_and_only_the_first_waits_at_all(away: str, broker: Valkey) -> None:
    bump("board")
    getattr(broker, away)()
    assert seconds(lambda: bump("board")) < 0.6
    assert seconds(lambda: [bump("board") for _ in range(50)]) < 0.5
    assert LiveVersion.objects.get(region="board").version == 52


@AWAY
def test_a_nudge_never_waits_long_never_raises_and_is_counted(
    away: str, broker: Valkey, celery_broker: None
) -> None:
    before = _failures()
    nudging.nudge("nothing", 1, queue="bulk")
    assert _failures() == before
    getattr(broker, away)()
    assert seconds(lambda: nudging.nudge("nothing", 2, queue="bulk")) < 0.6
    assert seconds(lambda: nudging.nudge("nothing", 3, queue="bulk")) < 0.1
    assert _failures() == before + 2


def test_a_nudge_waits_for_the_commit_and_does_not_undo_it(
    broker: Valkey, celery_broker: None, make_customer: Make
) -> None:
    broker.stop()
    with transaction.atomic():
        make_customer(name="kept")
        before = _failures()
        nudging.nudge("nothing", 1, queue="bulk")
        assert _failures() == before
    assert _failures() == before + 1
    assert Customer.objects.filter(name="kept").exists()


@AWAY
async def test_a_page_hears_no_heartbeat_while_the_broker_is_away_and_all_again_after(
    away: str,
    broker: Valkey,
    make_user: Make,
    make_customer: Make,
    session_of: Make,
    open_page: Make,
    rename: Make,
    in_thread: Make,
) -> None:
    anna = await in_thread(make_customer, name="Anna")
    session = await in_thread(_staff, make_user, session_of)
    page = await open_page("names@0", session)
    await page.beat(seconds=3)
    getattr(broker, away)()
    await page.silence(seconds=1)  # reads what was on its way
    with pytest.raises(TimeoutError):
        await page.beat(seconds=13)
    await rename(anna, "while away")
    assert "while away" in await page.next(seconds=8)  # the database tells, a little later
    late = await open_page("names", session)
    assert await late.next() == {"refetch": "names"}  # pages can still connect
    broker.thaw() if away == "freeze" else broker.start()
    await page.beat(seconds=12)
    await rename(anna, "back")
    assert "back" in await page.next(seconds=2)


def _staff(make_user: Make, session_of: Make) -> str:
    return str(session_of(make_user(Role.OPS)))


def _failures() -> float:
    samples = nudging.FAILURES.collect()[0].samples
    return sum(sample.value for sample in samples if sample.name.endswith("_total"))


def test_stamps_say_who_works(broker: Valkey) -> None:
    wire.stamp("clock")
    assert abs(wire.stamps()["clock"] - time.time()) < 1
    broker.stop()
    assert wire.stamps() == {}
    assert not wire.answers()


@pytest.fixture
def celery_broker(broker: Valkey) -> Iterator[None]:
    """Celery publishes to this test's Valkey."""
    app = celery_app
    old = app.conf.broker_url
    app.conf.broker_url, app._pool, app.amqp._producer_pool = broker.url, None, None
    yield
    app.conf.broker_url, app._pool, app.amqp._producer_pool = old, None, None
