"""A simulated fleet of its own for each test module, served in a thread of this process."""

import asyncio
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from fleet.simulator import demo, plan, world
from fleet.simulator.host import SimHost
from fleet.simulator.serve import Simulator, watch_children
from fleet.simulator.stand_ins.answer import Answer
from fleet.simulator.state import fresh
from fleet.simulator.tool_server import render
from fleet.simulator.world import HostSpec, World
from fleet.transport import keys, ssh
from fleet.transport.result import Address
from fleet.transport.ssh import SshTransport

KEY_ID = 7701
PRIVATE, PUBLIC = keys.generate("test")


def make_folder(folder: Path, nodes: int = 4) -> World:
    """A new world of the drill's first nodes, ready to be served."""
    hosts = tuple(planned.host for planned in plan.draw(nodes))
    made = World(next(plan.free_ports()), demo.USERS, (PUBLIC,), hosts)
    world.save(made, folder)
    return made


class Served:
    """A simulator that runs in a thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        self.simulator: Simulator | None = None
        self.error: Exception | None = None
        self.ready = threading.Event()
        self.over: asyncio.Event | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_until_complete(self._serve())
        finally:
            self.loop.close()
            if sys.version_info < (3, 12):
                # The watcher of this loop is the whole process's: leave none behind for a browser.
                asyncio.get_event_loop_policy().set_child_watcher(None)

    async def _serve(self) -> None:
        watch_children()
        self.over = asyncio.Event()
        try:
            self.simulator = Simulator(self.folder)
            await self.simulator.start()
        except Exception as error:
            self.error = error
        self.ready.set()
        if self.error is None:
            await self.over.wait()
        if self.simulator:
            self.simulator.stop()
            await asyncio.sleep(0.05)

    def start(self) -> "Served":
        self.thread.start()
        assert self.ready.wait(20)
        if self.error:
            raise self.error
        return self

    def stop(self) -> None:
        if self.over is not None and self.thread.is_alive():
            self.loop.call_soon_threadsafe(self.over.set)
            self.thread.join(10)

    @property
    def world(self) -> World:
        assert self.simulator
        return self.simulator.world

    def address(self, name: str, **other: object) -> Address:
        keys.ring.put(KEY_ID, PRIVATE)
        spec = self.world.host(name)
        facts = {
            "host": spec.address,
            "port": self.world.port,
            "username": demo.USERS[0],
            "key_id": KEY_ID,
            "host_key": spec.host_public,
        }
        return Address(**(facts | other))  # type: ignore[arg-type]

    def connect(self, name: str = "sh-r01-n01", *, timeout: float = 10) -> SshTransport:
        return ssh.connect(self.address(name), timeout=timeout)

    def port_of(self, name: str, kind: str = "ssh") -> tuple[str, int]:
        spec = self.world.host(name)
        return spec.address, next(
            p.port for c in spec.containers for p in c.ports if p.kind == kind
        )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("simulator")
    make_folder(folder)
    running = Served(folder).start()
    yield running
    running.stop()


class Clock:
    """Time that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 1_796_083_200.0

    def __call__(self) -> float:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += seconds


class Host(SimHost):
    """A host that nobody serves; its tools are called directly."""

    clock: Clock

    def tool(self, line: str) -> Answer:
        name, *words = line.split()
        return render(self, name, words)

    def out(self, line: str) -> str:
        return self.tool(line).out


@cache
def drill() -> dict[str, HostSpec]:
    return {each.host.name: each.host for each in plan.draw()}


@pytest.fixture
def make_host() -> Callable[[str], Host]:
    planned = drill()

    def make(name: str = "sh-r01-n01") -> Host:
        clock = Clock()
        return Host(planned[name], fresh(planned[name], clock.now), clock)

    return make


def knock(address: tuple[str, int], send: bytes = b"", timeout: float = 1.0) -> bytes:
    """What a port says first; ConnectionRefusedError or TimeoutError as it happens."""
    with socket.create_connection(address, timeout=timeout) as link:
        if send:
            link.sendall(send)
        return link.recv(400)
