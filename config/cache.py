"""The cache: Valkey, and this process's memory while Valkey is away.

Sign-in limits live in the cache, so "no cache" must not mean "no limits": while the broker is
away each process goes on counting by itself.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache, RedisCacheClient
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as Broken
from redis.exceptions import RedisError
from redis.retry import Retry

from fleet.live.wire import WAIT_S, breaker


class FailSoftClient:
    """Has every method of Django's Redis client and of its memory cache, which are the same."""

    def __init__(self, servers: Sequence[str]) -> None:
        self._memory = LocMemCache(f"fail-soft {servers}", {})
        self._redis = RedisCacheClient(
            list(servers),
            socket_timeout=WAIT_S,
            socket_connect_timeout=WAIT_S,
            retry=Retry(NoBackoff(), 1, supported_errors=(Broken,)),
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._either, getattr(self._redis, name), getattr(self._memory, name))

    def _either(self, there: Callable[..., Any], here: Callable[..., Any], *arguments: Any) -> Any:
        """At most half a second, and no wait at all while the breaker is open."""
        if not breaker.allows():
            return here(*arguments)
        try:
            answer = there(*arguments)
        except (RedisError, OSError):
            breaker.failed()
            return here(*arguments)
        breaker.worked()
        return answer


@cache
def shared(servers: tuple[str, ...]) -> FailSoftClient:
    """One connection pool a process: Django makes a cache object for every request."""
    return FailSoftClient(servers)


class FailSoftCache(RedisCache):
    """Answers within half a second whatever happens to Valkey."""

    _servers: list[str]

    @property
    def _cache(self) -> FailSoftClient:  # type: ignore[override]
        return shared(tuple(self._servers))
