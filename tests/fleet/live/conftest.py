"""A live installation in a test: a region of customers' names, a hub, sockets and a real Valkey."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio
from asgiref.sync import sync_to_async
from channels.sessions import CookieMiddleware
from django.conf import settings as django_settings
from django.db import transaction
from django.test import Client
from django.utils import translation

from fleet import access
from fleet.live import wire
from fleet.live.consumer import LiveConsumer
from fleet.live.hub import Hub
from fleet.live.region import Region, Rows, bump
from fleet.people.models import Customer, User
from tests.parts.valkey import Valkey

RENDERED: list[tuple[str, str, str]] = []


def render_names(user: User, key: str) -> Rows:
    RENDERED.append((user.email, key, translation.get_language() or ""))
    found = Customer.objects.order_by("pk")
    return Rows({f"c-{row.pk}": f'<tr id="c-{row.pk}"><td>{row.name}</td></tr>' for row in found})


def mine(user: Any, key: str) -> bool:
    return access.is_person(user) and user.memberships.filter(customer=int(key)).exists()


def render_mine(user: User, key: str) -> Rows:
    customer = Customer.objects.get(pk=int(key))
    return Rows({"name": f'<p id="name">{customer.name}</p>'})


REGIONS = {
    "names": Region(
        "names", lambda user, key: access.is_staff(user), lambda u, k: "staff", render_names
    ),
    "mine": Region("mine", mine, lambda user, key: f"customer {key}", render_mine),
}


class Page:
    """A browser page as its socket sees it: an ASGI server's side of one connection."""

    def __init__(self, hub: Hub, regions: str, session: str, *, path: str = "/ws/live") -> None:
        cookie = f"{django_settings.SESSION_COOKIE_NAME}={session}".encode()
        scope = {
            "type": "websocket",
            "path": path,
            "query_string": f"regions={regions}".encode(),
            "headers": [(b"cookie", cookie)],
        }
        self._in: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._out: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        app = CookieMiddleware(LiveConsumer.as_asgi(regions=REGIONS, hub=hub))
        self._task = asyncio.create_task(app(scope, self._in.get, self._out.put))
        self._in.put_nowait({"type": "websocket.connect"})

    async def open(self) -> "Page":
        accepted = await asyncio.wait_for(self._out.get(), 5)
        assert accepted["type"] == "websocket.accept"
        return self

    async def next(self, *, seconds: float = 5) -> Any:
        """The next frame that is no heartbeat: HTML, an order, or `closed CODE`."""
        async with asyncio.timeout(seconds):
            while True:
                frame = await self._frame()
                if "beat" not in frame:
                    return frame

    async def beat(self, *, seconds: float = 8) -> int:
        """The next heartbeat."""
        async with asyncio.timeout(seconds):
            while True:
                frame = await self._frame()
                if "beat" in frame:
                    return int(frame["beat"])

    async def _frame(self) -> Any:
        message = await self._out.get()
        if message["type"] == "websocket.close":
            return f"closed {message['code']}"
        text = message["text"]
        return json.loads(text) if text.startswith("{") else text

    async def silence(self, *, seconds: float) -> None:
        """Nothing but heartbeats comes for so long."""
        try:
            frame = await self.next(seconds=seconds)
        except TimeoutError:
            return
        raise AssertionError(f"unexpected {frame}")

    async def close(self) -> None:
        self._in.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self._task, 5)


OpenPage = Callable[..., Any]


@pytest.fixture(autouse=True)
def fresh_wire() -> Iterator[None]:
    """No test inherits an open breaker or a connection from another."""
    wire.breaker.worked()
    RENDERED.clear()
    yield
    wire.breaker.worked()


@pytest.fixture
def session_of() -> Callable[[User], str]:
    """Sign a person in; the session's key."""

    def sign_in(user: User) -> str:
        client = Client()
        client.force_login(user)
        return str(client.session.session_key)

    return sign_in


@pytest_asyncio.fixture
async def open_page() -> AsyncIterator[OpenPage]:
    """Open pages on one hub, as one web process does."""
    hub, pages = Hub(), []

    async def open_one(regions: str, session: str, **options: Any) -> Page:
        page = await Page(hub, regions, session, **options).open()
        pages.append(page)
        return page

    open_one.hub = hub  # type: ignore[attr-defined]
    yield open_one
    for page in pages:
        await page.close()
    hub.stop()
    await asyncio.sleep(0.05)


@pytest.fixture
def broker(private_valkey: Valkey, settings: Any) -> Valkey:
    """A Valkey of this test's own, which it may stop or freeze."""
    settings.REDIS_URL = private_valkey.url
    return private_valkey


@pytest.fixture
def rename(db: None) -> Callable[..., Any]:
    """Change a customer's name and bump a region, as a service does."""

    @sync_to_async
    def change(customer: Customer, name: str, region: str = "names") -> None:
        with transaction.atomic():
            Customer.objects.filter(pk=customer.pk).update(name=name)
            bump(region)

    return change


@pytest.fixture
def rendered() -> list[tuple[str, str, str]]:
    """Every rendering made: (e-mail, key, language)."""
    return RENDERED


@pytest.fixture
def in_thread() -> Callable[..., Any]:
    """Call a factory from an async test."""
    return lambda call, *args, **kwargs: sync_to_async(call)(*args, **kwargs)
