"""The wire between processes: publish and subscribe on Valkey, bounded in time on every call.

Plain redis-py, no channel layer: a layer subscribes before a page can connect, waits without
limit on a frozen server and cannot be called from a thread without a new event loop per call.
"""

import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeVar

from django.conf import settings
from redis import Redis
from redis import asyncio as aioredis
from redis.asyncio.client import PubSub
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Broken
from redis.exceptions import RedisError
from redis.retry import Retry

from fleet.live.breaker import Breaker

CHANNEL = "halfhour.live"
ALIVE = "halfhour.alive"
WAIT_S = 0.4
SILENCE_S = 15.0

log = logging.getLogger(__name__)
breaker = Breaker()
T = TypeVar("T")


@cache
def client(url: str) -> "Redis":
    """The process's connection pool. A connection the server closed is replaced once, at once."""
    return Redis.from_url(
        url,
        socket_timeout=WAIT_S,
        socket_connect_timeout=WAIT_S,
        retry=Retry(NoBackoff(), 1, supported_errors=(Broken,)),
    )


def attempt(call: Callable[["Redis"], T], otherwise: T) -> T:
    """`call` with the broker, or `otherwise` when it is away. Takes at most about 0.5 s, and
    while it stays away all but one caller in two seconds get `otherwise` without waiting."""
    if not breaker.allows():
        return otherwise
    try:
        answer = call(client(settings.REDIS_URL))
    except (RedisError, OSError) as error:
        breaker.failed()
        log.warning("broker is away: %s", type(error).__name__)
        return otherwise
    breaker.worked()
    return answer


def publish(message: Mapping[str, Any]) -> bool:
    """Send to every listening process; False when the broker is away."""
    text = json.dumps(message, separators=(",", ":"))
    return attempt(lambda redis: redis.publish(CHANNEL, text) is not None, False)


def answers() -> bool:
    """Whether the broker answers now."""
    return attempt(lambda redis: bool(redis.ping()), False)


def stamp(name: str) -> None:
    """Note that the process called `name` works (seconds since the epoch, our clock)."""
    attempt(lambda redis: redis.hset(ALIVE, name, f"{time.time():.3f}"), 0)


def stamps() -> dict[str, float]:
    """When each process last said that it works."""
    nothing: dict[Any, Any] = {}
    found = attempt(lambda redis: dict(redis.hgetall(ALIVE)), nothing)
    return {name.decode(): float(at) for name, at in found.items()}


@asynccontextmanager
async def subscription() -> AsyncIterator[PubSub]:
    """A subscription to the wire. Raises RedisError or OSError when the broker is away."""
    redis = aioredis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=2,
        socket_timeout=5,
        retry=AsyncRetry(NoBackoff(), 0),
    )
    pubsub = redis.pubsub()
    try:
        await pubsub.subscribe(CHANNEL)
        yield pubsub
    finally:
        await pubsub.aclose()  # type: ignore[no-untyped-call]
        await redis.aclose()


async def messages(pubsub: PubSub) -> AsyncIterator[dict[str, Any]]:
    """What arrives. Ends after 15 s of silence (beats come every 5 s): the link is dead."""
    heard = time.monotonic()
    while time.monotonic() - heard < SILENCE_S:
        found = await pubsub.get_message(ignore_subscribe_messages=True, timeout=1.0)
        if found is not None:
            heard = time.monotonic()
            yield json.loads(found["data"])
