"""The one websocket of a page: who is there, which regions it shows, and the hub that serves it."""

import re
from collections.abc import Mapping
from urllib.parse import parse_qs

from channels.generic.websocket import AsyncWebsocketConsumer

from fleet.live.hub import NOT_FOUND, SIGNED_OUT, Hub, Socket
from fleet.live.page import Shown
from fleet.live.region import Region
from fleet.live.rendering import Subscription, in_pool
from fleet.live.visitors import identify, session_cookie

PATH = "/ws/live"
BAD_REQUEST, MOST_REGIONS = 4400, 12
VERSIONED = re.compile(r"(.+)@(\d{1,18})")


class LiveConsumer(AsyncWebsocketConsumer):
    """Serves `/ws/live?regions=board,node:17`.

    A name may carry the version its page was rendered at (`board@12`); without one, or when it is
    old, the page is told at once to fetch the region again. A refused socket is accepted first and
    then closed with 4400, 4401 or 4404: a refused handshake would make browsers retry for ever.
    """

    # Channels subscribes every consumer to its layer before accepting; ours hears from the hub.
    channel_layer_alias = "none"

    def __init__(self, *, regions: Mapping[str, Region], hub: Hub) -> None:
        super().__init__()
        self._regions = regions
        self._hub = hub
        self._socket: Socket | None = None

    async def connect(self) -> None:
        await self.accept()
        refusal = await self._enter()
        if refusal is not None:
            await self.close(refusal)

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """Pages have nothing to say."""

    async def disconnect(self, code: int) -> None:
        if self._socket is not None:
            self._hub.leave(self._socket)

    async def _enter(self) -> int | None:
        """Join the hub; the close code when the socket is refused."""
        if self.scope["path"] != PATH:
            return NOT_FOUND
        query = parse_qs(self.scope["query_string"].decode("ascii", "replace"))
        names = [name for name in query.get("regions", [""])[0].split(",") if name]
        if not 0 < len(names) <= MOST_REGIONS:
            return BAD_REQUEST
        visitor = await in_pool(identify, session_cookie(self.scope["cookies"]))
        if visitor is None:
            return SIGNED_OUT
        try:
            shown = dict(subscribe(name, self._regions) for name in names)
            self._socket = Socket(visitor, shown, self.send, self.close)
            return None if await self._hub.join(self._socket) else NOT_FOUND
        except (KeyError, ValueError):
            return NOT_FOUND


def subscribe(asked: str, regions: Mapping[str, Region]) -> tuple[Subscription, Shown]:
    """`node:17@12` → the subscription and what its page shows; KeyError for an unknown region."""
    versioned = VERSIONED.fullmatch(asked)
    name, version = (versioned[1], int(versioned[2])) if versioned else (asked, None)
    kind, _, key = name.partition(":")
    subscription = Subscription(regions[kind], key)
    return subscription, Shown(subscription.name, version)
