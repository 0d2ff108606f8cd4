"""Recorded hosts, for scale runs: SSH answered in process from a recording of one whole host.

Nothing is made up: the first time a command comes, it really runs on a whole host (the twin), and
its output is kept. Later the same command on any recorded host is answered from that recording,
with names, boot, cards and clock exchanged for the host's own. All recorded hosts have the twin's
cards, so every exchange keeps its length and frames stay valid.
"""

import asyncio
import re
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import asyncssh

from fleet.simulator import world
from fleet.simulator.doors import Door, Mode
from fleet.simulator.host import SimHost
from fleet.simulator.plan import card_uuid
from fleet.simulator.rootfs import make_tools
from fleet.simulator.serve import Keys, until_told
from fleet.simulator.state import fresh
from fleet.simulator.tool_server import ToolServer
from fleet.simulator.whole import ServerProcess, SshHouse, WholeHost, feed
from fleet.simulator.world import HostSpec, World

CLOCK = re.compile(rb"(?m)^(=== halfhour-probe \d+ boot=\S+ time=)\S+( uptime=)\S+")
NO_COMMAND = 127


@dataclass(frozen=True, slots=True)
class Recording:
    """The output of one command on the twin, and its exit code."""

    output: bytes
    status: int


class Twin:
    """The whole host that all recorded hosts repeat."""

    def __init__(self, spec: HostSpec, folder: Path) -> None:
        self.sim = SimHost(spec, fresh(spec))
        self.host = WholeHost(self.sim, World(0, (), (), (spec,)), list, folder)
        self._kept: dict[str, asyncio.Task[Recording]] = {}

    async def answer(self, command: str, stdin: "asyncssh.SSHReader[bytes]") -> Recording:
        """Run the command, or repeat what it gave. A failure is not kept: it may be cured."""
        task = self._kept.get(command)
        if task is None or (task.done() and task.result().status):
            task = asyncio.ensure_future(self._record(command, stdin))
            self._kept[command] = task
        return await asyncio.shield(task)

    async def _record(self, command: str, stdin: "asyncssh.SSHReader[bytes]") -> Recording:
        self.host.disk.refresh()
        child = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            cwd=self.host.disk.home,
            env=self.host.disk.environment(),
            start_new_session=True,
        )
        assert child.stdin
        assert child.stdout
        feeding = asyncio.ensure_future(feed(stdin, child.stdin))
        output = await child.stdout.read()
        status = await child.wait()
        feeding.cancel()
        return Recording(output, status)


class RecordedHost:
    """One recorded host: its own address, key, boot and cards; the twin's answers."""

    def __init__(self, spec: HostSpec, known: World, twin: Twin, keys: Keys) -> None:
        self.spec = spec
        self.twin = twin
        self.booted = time.time() - spec.up_days * 86400
        house = SshHouse(spec.host_key, known.users, keys, self.run)
        self.house = house
        self.door = Door(spec.address, known.port)
        pairs = {
            twin.sim.spec.name: spec.name,
            twin.sim.state.boot.id: str(uuid.uuid5(uuid.NAMESPACE_DNS, spec.name)),
        }
        for index, card in enumerate(twin.sim.spec.cards):
            pairs[card.uuid] = card_uuid(spec.name, index)
        plain = {a.replace("-", ""): b.replace("-", "") for a, b in pairs.items() if len(a) == 36}
        self._theirs = {**pairs, **plain}
        self._ours = {b: a for a, b in self._theirs.items()}
        self._to_ours = _exchange(self._theirs)
        self._to_theirs = _exchange(self._ours)

    async def run(self, process: ServerProcess) -> None:
        """Answer one command."""
        if not process.command:
            process.exit(NO_COMMAND)
            return
        command = self._to_theirs(process.command.encode()).decode()
        kept = await self.twin.answer(command, process.stdin)
        now = time.time()
        clock = rb"\g<1>%.3f\g<2>%.2f" % (now, now - self.booted)
        process.stdout.write(CLOCK.sub(clock, self._to_ours(kept.output), count=1))
        process.exit(kept.status)


def _exchange(pairs: dict[str, str]) -> Callable[[bytes], bytes]:
    table = {a.encode(): b.encode() for a, b in pairs.items()}
    pattern = re.compile(
        b"|".join(re.escape(word) for word in sorted(table, key=len, reverse=True))
    )
    return lambda text: pattern.sub(lambda match: table[match[0]], text)


def alike(known: World) -> list[HostSpec]:
    """Every host with the first host's cards and system, so that one recording fits all."""
    first = known.hosts[0]
    return [
        replace(first, name=h.name, address=h.address, host_key=h.host_key, containers=())
        for h in known.hosts
    ]


class Fleet:
    """All recorded hosts of one installation. Start it inside a running loop."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = world.load(folder)
        specs = alike(self.world)
        # A name as long as theirs, so that exchanging it keeps every length.
        name = "twin".ljust(len(specs[0].name), "-")
        self.twin = Twin(replace(specs[0], name=name), folder)
        self.tools = ToolServer(lambda _name: self.twin.sim, folder)
        keys = Keys(folder)
        self.hosts = [RecordedHost(spec, self.world, self.twin, keys) for spec in specs]

    async def start(self) -> None:
        """Open every port. Raises PortTaken."""
        make_tools(self.folder)
        self.twin.host.disk.make()
        await self.tools.start()
        for host in self.hosts:
            host.door.set(Mode.OPEN, host.house.greet)

    def stop(self) -> None:
        """Close every port and hang up on everybody."""
        self.tools.stop()
        for host in self.hosts:
            host.door.set(Mode.CLOSED)
            host.house.hang_up()


async def serve_recorded(folder: Path, ready: Callable[[int, int], None]) -> None:
    """Serve the world's hosts in recorded grade until SIGTERM or SIGINT. Raises PortTaken."""
    await until_told(Fleet(folder), lambda fleet: ready(len(fleet.hosts), fleet.world.port))
