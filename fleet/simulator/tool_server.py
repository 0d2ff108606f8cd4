"""Answers the stand-ins: each call is one connection that names host, tool and arguments."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from fleet.simulator import sockets
from fleet.simulator.host import SimHost
from fleet.simulator.stand_ins.answer import Answer
from fleet.simulator.stand_ins.registry import TOOLS

REQUEST_LIMIT = 1 << 20
# How often a call that hangs looks whether the host was restarted meanwhile.
HANG_LOOK_S = 1.0


def render(host: SimHost, tool: str, words: list[str]) -> Answer:
    """One call's answer; a stand-in that fails says so and exits like a crashed program."""
    try:
        return TOOLS[tool](host, words)
    except Exception as error:  # one bad call must not end the simulator
        return Answer("", 134, f"{tool}: stand-in failed: {error!r}\n")


class ToolServer:
    """One socket for all hosts."""

    def __init__(self, find: Callable[[str], SimHost], folder: Path) -> None:
        self._find = find
        self._path = folder / "tools.sock"
        self._server: asyncio.AbstractServer | None = None
        self._calls: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(
            self._serve, sock=sockets.listen(self._path), limit=REQUEST_LIMIT
        )

    def stop(self) -> None:
        """Close the socket and end the calls that still hang."""
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)
        for call in list(self._calls):
            call.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._calls.add(task)
        try:
            await self._answer(reader, writer)
        except (OSError, LookupError, asyncio.CancelledError):
            pass
        finally:
            self._calls.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        words = (await reader.read(-1)).decode("utf-8", "replace").split("\0")
        name, tool, *arguments = words
        host = self._find(name)
        answer = render(host, tool, arguments)
        if answer.hang:
            await self._hang(host, writer)
            return
        if answer.delay:
            await asyncio.sleep(answer.delay)
        out, err = answer.out.encode(), answer.err.encode()
        writer.write(b"%d %d\n" % (answer.status, len(out)) + out + err)
        await writer.drain()

    async def _hang(self, host: SimHost, writer: asyncio.StreamWriter) -> None:
        """Until the caller was killed or the host restarted."""
        boot = host.state.boot.id
        while host.state.boot.id == boot and not writer.transport.is_closing():  # noqa: ASYNC110
            await asyncio.sleep(HANG_LOOK_S)
