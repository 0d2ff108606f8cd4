"""The turnstile in front of the pages."""

import asyncio
from typing import Any

import pytest

from config.turnstile import Turnstile


async def test_a_rush_waits_in_line_and_everybody_is_served() -> None:
    inside: list[int] = []
    served: list[int] = []
    most = 0

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal most
        inside.append(scope["n"])
        most = max(most, len(inside))
        await asyncio.sleep(0.01)
        inside.remove(scope["n"])
        served.append(scope["n"])

    door = Turnstile(app, at_once=3)
    await asyncio.gather(*(door({"n": n}, None, None) for n in range(20)))
    assert most == 3
    assert sorted(served) == list(range(20))


async def test_a_request_that_breaks_gives_its_place_back() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise OSError

    door = Turnstile(app, at_once=1)
    for _ in range(3):
        with pytest.raises(OSError):  # noqa: PT011
            await asyncio.wait_for(door({}, None, None), 1)
