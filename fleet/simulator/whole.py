"""A whole simulated host: an SSH server on loopback that runs every command in a real /bin/sh."""

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable
from functools import cached_property
from pathlib import Path

import asyncssh

from fleet.simulator import children, doors
from fleet.simulator.doors import Door, Mode
from fleet.simulator.host import SimHost
from fleet.simulator.rootfs import Disk
from fleet.simulator.world import ContainerSpec, PortSpec, World

SERVER_VERSION = "OpenSSH_9.6p1 Ubuntu-3ubuntu13.5"
CHUNK = 65536
ServerProcess = asyncssh.SSHServerProcess[bytes]


class Login(asyncssh.SSHServer):
    """Lets the installation's own keys in, under its own user names."""

    def __init__(self, house: "SshHouse") -> None:
        self.house = house
        self.connection: asyncssh.SSHServerConnection | None = None

    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self.connection = conn
        self.house.guests.add(conn)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.connection is not None:
            self.house.guests.discard(self.connection)

    def begin_auth(self, username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        return username in self.house.users and key in self.house.known()


class SshHouse:
    """What every simulated SSH server shares: its key, who may enter, who is inside."""

    def __init__(
        self,
        host_key: str,
        users: tuple[str, ...],
        known: Callable[[], list[asyncssh.SSHKey]],
        run: Callable[[ServerProcess], Awaitable[None]],
    ) -> None:
        self.users = users
        self.known = known
        self.guests: set[asyncssh.SSHServerConnection] = set()
        self._host_key = host_key
        self._run = run

    @cached_property
    def options(self) -> asyncssh.SSHServerConnectionOptions:
        """Built at the first connection, so that starting many hosts costs nothing."""
        return asyncssh.SSHServerConnectionOptions(
            server_factory=lambda: Login(self),
            server_host_keys=[asyncssh.import_private_key(self._host_key)],
            process_factory=self._run,
            encoding=None,
            server_version=SERVER_VERSION,
            kex_algs=["curve25519-sha256", "ecdh-sha2-nistp256"],
            encryption_algs=["aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr"],
            compression_algs=None,
            password_auth=False,
            kbdint_auth=False,
            gss_host=None,
            allow_pty=False,
            line_editor=False,
            agent_forwarding=False,
            x11_forwarding=False,
            login_timeout=30,
        )

    async def greet(self, guest: socket.socket) -> None:
        """Speak SSH with whoever knocked."""
        guest.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            await asyncssh.run_server(guest, options=self.options)
        except (OSError, asyncssh.Error):
            guest.close()

    def freeze(self) -> None:
        """Stop hearing everybody, as a host without power or network does."""
        for guest in self.guests:
            transport = guest._transport  # asyncssh has no public way to stop reading
            if transport is not None and not transport.is_closing():
                transport.pause_reading()

    def hang_up(self) -> None:
        """End every connection with a reset, as a host that booted anew does."""
        for guest in list(self.guests):
            guest.abort()


class WholeHost:
    """One host of the fleet: SSH, published ports and files, kept in step with its state."""

    def __init__(
        self,
        sim: SimHost,
        world: World,
        keys: Callable[[], list[asyncssh.SSHKey]],
        folder: Path,
    ) -> None:
        self.sim = sim
        self.disk = Disk(folder, sim)
        self.house = SshHouse(sim.spec.host_key, world.users, keys, self.run)
        self.ssh_door = Door(sim.spec.address, world.port)
        self.port_doors = {
            port.port: (Door(sim.spec.address, port.port), container, port)
            for container, port in sim.ports()
        }
        self._boot = sim.state.boot.id

    def start(self) -> None:
        """Write the files and open the ports. Raises PortTaken."""
        self.disk.make()
        self.apply()

    @property
    def restless(self) -> bool:
        """Whether something changes by itself soon: a boot, containers coming up."""
        now = self.sim.now()
        starts = [self.sim.started_at(container) for container in self.sim.spec.containers]
        return now < max([self.sim.state.down_until, *starts]) + 2

    def apply(self) -> None:
        """Bring every port to what the state says. Raises PortTaken."""
        if self.sim.state.boot.id != self._boot:
            self._boot = self.sim.state.boot.id
            if self.sim.answering:
                self.house.hang_up()
        if self.sim.answering:
            if self.ssh_door.mode != Mode.OPEN:
                self.house.hang_up()
            self.ssh_door.set(Mode.OPEN, self.house.greet)
        else:
            self.house.freeze()
            self.ssh_door.set(Mode.DROPPING)
        for door, container, port in self.port_doors.values():
            door.set(*self._at(container, port))

    def _at(self, container: ContainerSpec, port: PortSpec) -> tuple[Mode, doors.Greeting | None]:
        sim, fault = self.sim, self.sim.port_fault(port.port)
        if not sim.answering or fault == "port_firewall":
            return Mode.DROPPING, None
        if fault == "port_taken":
            return Mode.OPEN, doors.stranger
        if not sim.published(container, port):
            return Mode.CLOSED, None
        if fault == "port_sshd_down":
            return Mode.OPEN, doors.proxy_alone
        return Mode.OPEN, doors.SERVICES.get(port.kind, doors.proxy_alone)

    def stop(self) -> None:
        """Close everything."""
        for door in [self.ssh_door, *(door for door, _c, _p in self.port_doors.values())]:
            door.set(Mode.CLOSED)
        self.house.hang_up()

    async def run(self, process: ServerProcess) -> None:
        """Run what the guest asked for in a session of its own, gone when the channel is."""
        self.disk.refresh()
        words = ["-c", process.command] if process.command else []
        child = await asyncio.create_subprocess_exec(
            "/bin/sh",
            *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=self.disk.home,
            env=self.disk.environment(),
            start_new_session=True,
        )
        work = asyncio.ensure_future(self._attend(process, child))
        gone = asyncio.ensure_future(process.wait_closed())
        try:
            await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            work.cancel()
            gone.cancel()
            if child.returncode is None:
                children.end(child.pid)
            await child.wait()

    async def _attend(self, process: ServerProcess, child: asyncio.subprocess.Process) -> None:
        assert child.stdin
        assert child.stdout
        assert child.stderr
        feeding = asyncio.ensure_future(feed(process.stdin, child.stdin))
        try:
            await asyncio.gather(
                self._pass_on(child.stdout, process.stdout),
                self._pass_on(child.stderr, process.stderr),
            )
            status = await child.wait()
        finally:
            feeding.cancel()
        if not self.sim.answering:
            await asyncio.Event().wait()
        if status < 0:
            process.exit_with_signal(signal.Signals(-status).name.removeprefix("SIG"))
        else:
            process.exit(status)

    async def _pass_on(
        self, source: asyncio.StreamReader, target: "asyncssh.SSHWriter[bytes]"
    ) -> None:
        while data := await source.read(CHUNK):
            if not self.sim.answering:
                # Nothing leaves a host that is cut off; its connections end when it is back.
                await asyncio.Event().wait()
            target.write(data)
            await target.drain()


async def feed(source: "asyncssh.SSHReader[bytes]", target: asyncio.StreamWriter) -> None:
    try:
        while data := await source.read(CHUNK):
            target.write(data)
            await target.drain()
    except (OSError, asyncssh.Error):
        return
    finally:
        target.close()
