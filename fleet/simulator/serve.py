"""The simulator's process: every host, the stand-ins' socket and the control socket in one loop."""

import asyncio
import fcntl
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import IO, Protocol, TypeVar

import asyncssh

from fleet.simulator import world
from fleet.simulator.control_server import ControlServer
from fleet.simulator.doors import PortTaken
from fleet.simulator.fleet import Fleet
from fleet.simulator.host import SimHost
from fleet.simulator.rootfs import make_tools
from fleet.simulator.tool_server import ToolServer
from fleet.simulator.whole import WholeHost

TICK_S = 0.5


class AlreadyServing(RuntimeError):
    """Another process serves this installation's simulator."""


class Keys:
    """The public keys that may log in, read anew when `fleet.json` was written anew."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._stamp = 0
        self._keys: list[asyncssh.SSHKey] = []

    def __call__(self) -> list[asyncssh.SSHKey]:
        stamp = (self._folder / "fleet.json").stat().st_mtime_ns
        if stamp != self._stamp:
            known = world.load(self._folder).authorized
            self._keys = [asyncssh.import_public_key(key) for key in known]
            self._stamp = stamp
        return self._keys


class Simulator:
    """Everything that serves one installation's simulated hosts. Start it inside a running loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = world.load(folder)
        self.fleet = Fleet(self.world, folder, self._changed)
        keys = Keys(folder)
        self.hosts = {
            name: WholeHost(sim, self.world, keys, folder) for name, sim in self.fleet.hosts.items()
        }
        self.tools = ToolServer(self.fleet.host, folder)
        self.control = ControlServer(self.fleet, folder / "control.sock")
        self._ticker: asyncio.Task[None] | None = None
        self._lock: IO[str] | None = None

    def _changed(self, sim: SimHost) -> None:
        self.hosts[sim.spec.name].apply()

    async def start(self) -> None:
        """Open every port. Raises AlreadyServing or PortTaken."""
        self._lock = _locked(self.folder)
        make_tools(self.folder)
        for host in self.hosts.values():
            host.start()
        await self.tools.start()
        await self.control.start()
        self._ticker = asyncio.ensure_future(self._tick())

    async def _tick(self) -> None:
        """Hosts that are about to come up change by themselves; the others cost nothing."""
        restless = set(self.hosts.values())
        while True:
            await asyncio.sleep(TICK_S)
            for host in restless:
                host.apply()
            restless = {host for host in self.hosts.values() if host.restless}

    def stop(self) -> None:
        """Close every port and hang up on everybody."""
        if self._ticker is not None:
            self._ticker.cancel()
        self.control.stop()
        self.tools.stop()
        for host in self.hosts.values():
            host.stop()
        if self._lock is not None:
            self._lock.close()


def _locked(folder: Path) -> IO[str]:
    lock = (folder / "lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise AlreadyServing(str(folder)) from None
    return lock


def watch_children() -> None:
    """Before Python 3.12 asyncio spends a thread on every child; the kernel can tell us instead."""
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        asyncio.get_event_loop_policy().set_child_watcher(watcher)
        watcher.attach_loop(asyncio.get_running_loop())


class Servable(Protocol):
    """What `until_told` starts and stops."""

    async def start(self) -> None: ...

    def stop(self) -> None: ...


Kind = TypeVar("Kind", bound=Servable)


async def until_told(fleet: Kind, ready: Callable[[Kind], None]) -> None:
    """Serve until SIGTERM or SIGINT. Raises whatever starting raises."""
    asyncssh.set_log_level("ERROR")
    watch_children()
    over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    try:
        await fleet.start()
        ready(fleet)
        await over.wait()
    finally:
        fleet.stop()
        # One turn of the loop, for the connections' last words.
        await asyncio.sleep(0)


async def serve(folder: Path, ready: Callable[[int, int], None]) -> None:
    """Serve whole hosts until told to stop. Raises AlreadyServing or PortTaken."""
    await until_told(
        Simulator(folder), lambda simulator: ready(len(simulator.hosts), simulator.world.port)
    )


__all__ = ["AlreadyServing", "PortTaken", "Simulator", "serve"]
