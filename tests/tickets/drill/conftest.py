"""The simulator's control end, really listening, over a small world nobody serves."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet.simulator import control, demo, plan, world
from fleet.simulator.control_server import ControlServer
from fleet.simulator.fleet import Fleet
from fleet.simulator.world import World


class Listening:
    """A control server in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        hosts = tuple(planned.host for planned in plan.draw(3))
        made = World(next(plan.free_ports()), demo.USERS, ("ssh-ed25519 AAAA",), hosts)
        world.save(made, folder)
        self.fleet = Fleet(made, folder)
        control.DEFAULT_SOCKET.parent.mkdir(parents=True, exist_ok=True)
        self.server = ControlServer(self.fleet, control.DEFAULT_SOCKET)
        self.loop = asyncio.new_event_loop()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self.server.start())
        self.ready.set()
        self.loop.run_forever()

    def start(self) -> "Listening":
        self.thread.start()
        assert self.ready.wait(10)
        return self

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.server.stop)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)


@pytest.fixture
def simulator(tmp_path: Path) -> Iterator[Listening]:
    listening = Listening(tmp_path).start()
    yield listening
    listening.stop()
