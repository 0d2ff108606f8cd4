"""The cache while Valkey is there, stopped and frozen."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from config.cache import FailSoftCache
from fleet.live import wire
from fleet.people.models import Role
from tests.parts.valkey import Valkey

pytestmark = pytest.mark.worker
AWAY = pytest.mark.parametrize("away", ["stop", "freeze"])


@pytest.fixture(autouse=True)
def closed_breaker() -> Iterator[None]:
    wire.breaker.worked()
    yield
    wire.breaker.worked()


@pytest.fixture
def own(private_valkey: Valkey) -> FailSoftCache:
    """A cache on this test's own Valkey."""
    return FailSoftCache(private_valkey.url, {})


def test_what_one_process_keeps_another_finds(own: FailSoftCache, private_valkey: Valkey) -> None:
    own.set("a", {"n": 1}, 60)
    assert FailSoftCache(private_valkey.url, {}).get("a") == {"n": 1}
    assert own.add("a", 2) is False
    own.set_many({"b": 1, "c": 2})
    assert own.get_many(["b", "c", "d"]) == {"b": 1, "c": 2}
    assert own.incr("b") == 2
    own.delete_many(["b", "c"])
    assert not own.has_key("b")


@AWAY
def test_while_valkey_is_away_this_process_remembers_by_itself(
    away: str, own: FailSoftCache, private_valkey: Valkey
) -> None:
    own.set("before", 1)
    getattr(private_valkey, away)()
    started = time.monotonic()
    assert own.get("before") is None
    assert own.add("lock", True, 10)
    assert not own.add("lock", True, 10)
    own.set("history", [1.0], 60)
    assert own.get("history") == [1.0]
    assert time.monotonic() - started < 0.6


def test_after_an_outage_valkey_is_used_again(own: FailSoftCache, private_valkey: Valkey) -> None:
    private_valkey.stop()
    own.set("away", 1)
    private_valkey.start()
    time.sleep(2.1)
    own.set("back", 1)
    assert FailSoftCache(private_valkey.url, {}).get("back") == 1


def test_a_closed_connection_is_replaced_without_anybody_noticing(
    own: FailSoftCache, private_valkey: Valkey
) -> None:
    own.set("a", 1)
    private_valkey.stop()
    private_valkey.start()
    own.set("b", 1)
    assert FailSoftCache(private_valkey.url, {}).get("b") == 1


@AWAY
@pytest.mark.django_db
def test_sign_in_is_still_limited_while_valkey_is_away(
    away: str, make_user: Any, private_valkey: Valkey, settings: Any
) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "config.cache.FailSoftCache", "LOCATION": private_valkey.url}
    }
    user = make_user(Role.OPS, password="the-right-one")
    getattr(private_valkey, away)()
    client = Client()
    for _ in range(10):
        answer = client.post("/accounts/login/", {"login": user.email, "password": "wrong"})
        assert answer.status_code == 200
    answer = client.post("/accounts/login/", {"login": user.email, "password": "the-right-one"})
    assert answer.status_code == 200, (
        "the eleventh try from one address is refused although it is right"
    )
    assert "_auth_user_id" not in client.session
    cache.clear()
