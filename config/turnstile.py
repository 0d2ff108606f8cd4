"""A turnstile in front of the pages: at most so many requests at once, the others wait in line.

Each request runs in a thread of its own and holds a database connection; without a bound a rush
would make all of them slow together and run the connection pool dry. Pure ASGI.
"""

import asyncio
from typing import Any

AT_ONCE = 12


class Turnstile:
    """Wraps an ASGI application; requests pass in the order of their arrival."""

    def __init__(self, app: Any, at_once: int = AT_ONCE) -> None:
        self._app = app
        self._places = asyncio.Semaphore(at_once)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async with self._places:
            await self._app(scope, receive, send)
