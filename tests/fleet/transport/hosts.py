"""Servers to be reached, and servers that hang in one way each."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import asyncssh

Talk = Callable[[socket.socket], None]


@contextmanager
def listening(talk: Talk) -> Iterator[int]:
    """A TCP server that does `talk` with each connection, on a free port of 127.0.0.1."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    def one(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            talk(connection)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()


def _until_closed(connection: socket.socket) -> None:
    while connection.recv(4096):
        pass


def silent(connection: socket.socket) -> None:
    """Accepts and says nothing."""
    _until_closed(connection)


def dripping_banner(connection: socket.socket) -> None:
    """A banner at one byte a second."""
    for letter in b"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n":
        connection.send(bytes([letter]))
        time.sleep(1)


def banner_only(connection: socket.socket) -> None:
    """A banner, and then no key exchange."""
    connection.send(b"SSH-2.0-OpenSSH_9.2p1\r\n")
    _until_closed(connection)


def not_ssh(connection: socket.socket) -> None:
    """Something else listens there."""
    connection.send(b"HTTP/1.1 400 Bad Request\r\n\r\n" * 120)


@contextmanager
def full_backlog() -> Iterator[int]:
    """A port whose new connections get no answer, as behind a firewall that drops them."""
    server = socket.socket()
    server.bind(("127.0.0.1", 0))
    server.listen(0)
    waiting = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(server.getsockname())
        waiting.append(client)
    time.sleep(0.1)
    try:
        yield server.getsockname()[1]
    finally:
        for client in (*waiting, server):
            client.close()


def forked(work: Callable[[], int]) -> int:
    """The exit status of a forked child that does `work`; it cannot outlive 10 s."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(10)
        status = 1
        try:
            status = work()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def descendants(pid: int) -> list[int]:
    """Every process below `pid`."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        with suppress(OSError, ValueError, IndexError):
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        below = children.get(queue.pop(), [])
        found += below
        queue += below
    return found


def running(words: str) -> bool:
    """Whether a process has `words` in its command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                line = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                if words in line:
                    return True
    return False


def gone(words: str, *, within_s: float = 2.0) -> bool:
    """Whether no process has `words` in its command line any more, or will soon not."""
    deadline = time.monotonic() + within_s
    while running(words):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class DeafHost:
    """An asyncssh server that lets a client in and never answers its request for a channel."""

    def __init__(self, public_key: str) -> None:
        self._host_key = asyncssh.generate_private_key("ssh-ed25519")
        self._public_key = public_key
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)

    @property
    def host_key(self) -> str:
        return " ".join(self._host_key.export_public_key().decode().split()[:2])

    async def _listen(self) -> int:
        class Server(asyncssh.SSHServer):
            async def session_requested(self) -> bool:  # type: ignore[override]
                await asyncio.sleep(3600)
                return False

        self._acceptor = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=Server,
            server_host_keys=[self._host_key],
            authorized_client_keys=asyncssh.import_authorized_keys(self._public_key),
        )
        return self._acceptor.get_port()

    def stop(self) -> None:
        async def close() -> None:
            self._acceptor.close()

        asyncio.run_coroutine_threadsafe(close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
