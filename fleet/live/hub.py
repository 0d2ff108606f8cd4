"""The live hub of one web process: hears what changed, renders it once, sends it to its sockets.

It listens to the wire for speed and compares versions in the database every five seconds for
truth, so that an announcement lost while the broker was away loses nothing.
"""

import asyncio
import logging
import math
import time
import uuid
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import RedisError

from fleet.live import page, wire
from fleet.live.rendering import Outlook, Renderings, Sight, Subscription, in_pool, look, versions
from fleet.live.visitors import Visitor

BEAT_S = 5.0
PACE_S = 0.5
SIGNED_OUT, NOT_FOUND = 4401, 4404

log = logging.getLogger(__name__)


@dataclass(eq=False, slots=True)
class Socket:
    """One open page: who looks, what it shows of each region, and how to reach it."""

    visitor: Visitor
    shown: dict[Subscription, page.Shown]
    send: Callable[[str], Awaitable[None]]
    close: Callable[[int], Awaitable[None]]


@dataclass(eq=False)
class Topic:
    """A region somebody looks at. `due` are the sockets that wait for its next rendering."""

    sockets: set[Socket] = field(default_factory=set)
    due: set[Socket] = field(default_factory=set)
    version: int = 0
    worker: "asyncio.Task[None] | None" = None


class Hub:
    """Serves all sockets of one event loop; its tasks start with the first socket."""

    def __init__(self) -> None:
        self._id = uuid.uuid4().hex
        self._topics: dict[Subscription, Topic] = defaultdict(Topic)
        self._renderings = Renderings()
        self._tasks: list[asyncio.Task[None]] = []
        self._heard = -math.inf

    async def join(self, socket: Socket) -> bool:
        """Start to serve a socket; False when it asks for a region its reader may not see."""
        for subscription in socket.shown:
            outlook = await in_pool(look, subscription, [socket.visitor])
            if socket.visitor not in outlook.sights:
                return False
        self._start()
        for subscription in socket.shown:
            self._topics[subscription].sockets.add(socket)
            self._mark(subscription, [socket])
        if time.monotonic() - self._heard < 2 * BEAT_S:
            await socket.send(page.beat())
        return True

    def leave(self, socket: Socket) -> None:
        """Stop to serve a socket."""
        for subscription in list(socket.shown):
            self._drop(subscription, socket)

    def stop(self) -> None:
        """End the tasks; a hub without sockets costs nothing then."""
        for task in self._tasks:
            task.cancel()
        self._tasks.clear()

    def _start(self) -> None:
        if not self._tasks:
            steps = ((self._listen, 1.0), (self._beat, BEAT_S), (self._compare, BEAT_S))
            self._tasks = [
                asyncio.create_task(self._for_ever(step, pause)) for step, pause in steps
            ]

    async def _for_ever(self, step: Callable[[], Awaitable[None]], pause: float) -> None:
        while True:
            try:
                await step()
            except (RedisError, OSError) as error:
                log.info("live: the broker is away (%s)", type(error).__name__)
            except Exception:
                log.exception("live: a step failed")
            await asyncio.sleep(pause)

    async def _listen(self) -> None:
        async with wire.subscription() as subscription:
            await self._compare()
            await self._beat()
            async for message in wire.messages(subscription):
                await self._take(message)

    async def _take(self, message: dict[str, Any]) -> None:
        if message.get("beat") == self._id:
            self._heard = time.monotonic()
            await self._tell_all(page.beat())
        changed = set(message.get("regions", ()))
        for subscription, topic in list(self._topics.items()):
            if subscription.bumps & changed:
                self._mark(subscription, topic.sockets)

    async def _beat(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, wire.publish, {"beat": self._id})

    async def _compare(self) -> None:
        names = frozenset[str]().union(*(subscription.bumps for subscription in self._topics))
        now = await in_pool(versions, names) if names else {}
        for subscription, topic in list(self._topics.items()):
            if subscription.version(now) != topic.version:
                self._mark(subscription, topic.sockets)

    async def _tell_all(self, frame: str) -> None:
        sockets = {socket for topic in self._topics.values() for socket in topic.sockets}
        await asyncio.gather(*(socket.send(frame) for socket in sockets), return_exceptions=True)

    def _mark(self, subscription: Subscription, sockets: Iterable[Socket]) -> None:
        topic = self._topics[subscription]
        topic.due.update(sockets)
        if topic.due and (topic.worker is None or topic.worker.done()):
            topic.worker = asyncio.create_task(self._work(subscription, topic))

    async def _work(self, subscription: Subscription, topic: Topic) -> None:
        while topic.due:
            due, topic.due = topic.due, set()
            try:
                await self._bring_up_to_date(subscription, topic, due)
            except Exception:
                log.exception("live: %s could not be rendered", subscription.name)
                topic.due |= due & topic.sockets
                await asyncio.sleep(BEAT_S)
            await asyncio.sleep(PACE_S)

    async def _bring_up_to_date(
        self, subscription: Subscription, topic: Topic, due: set[Socket]
    ) -> None:
        outlook = await in_pool(look, subscription, [socket.visitor for socket in due])
        await self._turn_away(subscription, due, outlook)
        for socket in due:
            if (sight := outlook.sights.get(socket.visitor)) is not None:
                await self._show(subscription, socket, sight)
        topic.version = max(topic.version, outlook.version)

    async def _show(self, subscription: Subscription, socket: Socket, sight: Sight) -> None:
        shown = socket.shown.get(subscription)
        if shown is None:
            return
        rows = await self._renderings.get(subscription, sight)
        for frame in shown.update(rows, sight.version):
            await socket.send(frame)

    async def _turn_away(
        self, subscription: Subscription, due: set[Socket], outlook: Outlook
    ) -> None:
        for socket in due:
            if socket.visitor in outlook.gone:
                await socket.close(SIGNED_OUT)
            elif socket.visitor in outlook.blind:
                self._drop(subscription, socket)
                if not socket.shown:
                    await socket.close(NOT_FOUND)

    def _drop(self, subscription: Subscription, socket: Socket) -> None:
        socket.shown.pop(subscription, None)
        topic = self._topics.get(subscription)
        if topic is not None:
            topic.sockets.discard(socket)
            topic.due.discard(socket)
            if not topic.sockets:
                del self._topics[subscription]
