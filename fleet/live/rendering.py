"""Renders regions in a pool of four threads, once for all readers who may share a rendering."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import ParamSpec, TypeVar

from django.db import close_old_connections
from django.utils import timezone, translation

from fleet.live.models import LiveVersion
from fleet.live.region import Region, Rows
from fleet.live.visitors import Visitor, still_here
from fleet.people.models import User

P = ParamSpec("P")
T = TypeVar("T")

pool = ThreadPoolExecutor(4, "live")


def tidy(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `call` in a thread of a pool, leaving no broken or idle database connection behind."""
    close_old_connections()
    try:
        return call(*args, **kwargs)
    finally:
        close_old_connections()


async def in_pool(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run `call`, which may use the database, in a rendering thread."""
    work = partial(tidy, call, *args, **kwargs)
    return await asyncio.get_running_loop().run_in_executor(pool, work)


@dataclass(frozen=True, slots=True)
class Subscription:
    """One region of one page: `board`, or `node` with key `17`."""

    region: Region
    key: str

    @property
    def name(self) -> str:
        return f"{self.region.name}:{self.key}" if self.key else self.region.name

    @property
    def bumps(self) -> frozenset[str]:
        """The bumps it follows: its own name, and the bare name, which stands for every key."""
        return frozenset({self.name, self.region.name})

    def version(self, versions: Mapping[str, int]) -> int:
        """Grows with every bump it follows."""
        return sum(versions.get(name, 0) for name in self.bumps)


@dataclass(frozen=True, slots=True)
class Sight:
    """What decides how a region looks to one reader. Equal sights share one rendering."""

    name: str
    version: int
    audience: str
    language: str
    zone: str
    density: str
    user: User = field(compare=False)


@dataclass(frozen=True, slots=True)
class Outlook:
    """Who of the asked sees what: `gone` lost their session, `blind` may not see the region."""

    version: int
    sights: dict[Visitor, Sight]
    gone: frozenset[Visitor]
    blind: frozenset[Visitor]


def look(subscription: Subscription, visitors: Iterable[Visitor]) -> Outlook:
    """Ask the access door for each reader. The version is read first, so that a change made
    meanwhile gives a newer version than the one the rendering is kept under."""
    asked = frozenset(visitors)
    version = subscription.version(versions(subscription.bumps))
    here = still_here(asked)
    region, key = subscription.region, subscription.key
    sights = {
        visitor: Sight(
            name=subscription.name,
            version=version,
            audience=region.audience(user, key),
            language=user.language,
            zone=user.zone,
            density=user.density,
            user=user,
        )
        for visitor, user in here.items()
        if region.may_see(user, key)
    }
    gone = asked - here.keys()
    return Outlook(version, sights, gone, asked - gone - sights.keys())


def versions(names: Iterable[str]) -> dict[str, int]:
    """The version of each region that ever changed. One query."""
    return dict(LiveVersion.objects.filter(region__in=list(names)).values_list("region", "version"))


def render(subscription: Subscription, sight: Sight) -> Rows:
    """The rows as this reader sees them: their language, their zone."""
    with translation.override(sight.language), timezone.override(sight.zone):
        return subscription.region.render(sight.user, subscription.key)


class Renderings:
    """Renderings lately made or being made; at most `size`, the least used go first."""

    def __init__(self, size: int = 256) -> None:
        self._size = size
        self._kept: OrderedDict[Sight, asyncio.Future[Rows]] = OrderedDict()

    async def get(self, subscription: Subscription, sight: Sight) -> Rows:
        """The rendering for this sight, made once however many ask at the same time."""
        future = self._kept.get(sight)
        if future is None:
            future = asyncio.ensure_future(in_pool(render, subscription, sight))
            self._kept[sight] = future
        self._kept.move_to_end(sight)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
        try:
            return await asyncio.shield(future)
        except Exception:
            self._kept.pop(sight, None)
            raise
