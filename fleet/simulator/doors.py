"""TCP ports of simulated hosts: open, closed, or silently dropping whoever knocks."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from enum import StrEnum

Greeting = Callable[[socket.socket], Awaitable[None]]
BACKLOG = 128
# A guest who says nothing may stay this long.
PATIENCE_S = 10.0


class PortTaken(OSError):
    """Another program of this machine listens where a simulated host should."""

    def __init__(self, address: str, port: int, reason: str) -> None:
        super().__init__(f"{address}:{port}: {reason}")
        self.address = address
        self.port = port


class Mode(StrEnum):
    """What a knock meets: a service, a reset (nobody listens), or nothing at all."""

    OPEN = "open"
    CLOSED = "closed"
    DROPPING = "dropping"


def bound(address: str, port: int) -> socket.socket:
    """A TCP socket bound to the address. Raises PortTaken."""
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((address, port))
    except OSError as error:
        sock.close()
        raise PortTaken(address, port, error.strerror or str(error)) from error
    return sock


class Door:
    """One address and port. `set` may be called as often as one likes."""

    def __init__(self, address: str, port: int) -> None:
        self.address = address
        self.port = port
        self.mode = Mode.CLOSED
        self.greet: Greeting | None = None
        self._sockets: list[socket.socket] = []
        self._guests: set[asyncio.Task[None]] = set()

    def set(self, mode: Mode, greet: Greeting | None = None) -> None:
        """Change what a knock meets. Raises PortTaken."""
        self.greet = greet
        if mode == self.mode:
            return
        self._shut()
        self.mode = mode
        if mode == Mode.OPEN:
            self._open()
        elif mode == Mode.DROPPING:
            self._drop()

    def _open(self) -> None:
        sock = bound(self.address, self.port)
        sock.setblocking(False)
        try:
            sock.listen(BACKLOG)
        except OSError as error:
            sock.close()
            self.mode = Mode.CLOSED
            raise PortTaken(self.address, self.port, error.strerror or str(error)) from error
        self._sockets = [sock]
        asyncio.get_running_loop().add_reader(sock.fileno(), self._accept, sock)

    def _drop(self) -> None:
        """A queue that holds one connection, and that one is ours: the kernel drops every SYN."""
        sock = bound(self.address, self.port)
        sock.listen(0)
        filler = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._sockets = [sock, filler]
        filler.settimeout(1.0)
        filler.connect((self.address, self.port))

    def _shut(self) -> None:
        for sock in self._sockets:
            if self.mode == Mode.OPEN:
                asyncio.get_running_loop().remove_reader(sock.fileno())
            sock.close()
        self._sockets = []

    def _accept(self, sock: socket.socket) -> None:
        try:
            guest, _address = sock.accept()
        except OSError:
            return
        guest.setblocking(False)
        greet = self.greet
        if greet is None:
            guest.close()
            return
        task = asyncio.ensure_future(_attend(guest, greet))
        self._guests.add(task)
        task.add_done_callback(self._guests.discard)


async def _attend(guest: socket.socket, greet: Greeting) -> None:
    try:
        await greet(guest)
    except (OSError, TimeoutError):
        guest.close()


# -- who answers at a published port ---------------------------------------------------------------


async def ssh_banner(guest: socket.socket) -> None:
    """The sshd of a customer's container: says its name, hears ours, and lets nobody in."""
    loop = asyncio.get_running_loop()
    with guest:
        await loop.sock_sendall(guest, b"SSH-2.0-OpenSSH_9.6p1 Ubuntu-3ubuntu13.5\r\n")
        await asyncio.wait_for(loop.sock_recv(guest, 1024), PATIENCE_S)


async def _request(guest: socket.socket) -> bytes:
    loop = asyncio.get_running_loop()
    got = b""
    while b"\r\n\r\n" not in got and len(got) < 16384:
        data = await asyncio.wait_for(loop.sock_recv(guest, 4096), PATIENCE_S)
        if not data:
            break
        got += data
    return got


async def jupyter(guest: socket.socket) -> None:
    """JupyterLab: sends everybody to its login page."""
    with guest:
        await _request(guest)
        answer = (
            b"HTTP/1.1 302 Found\r\nServer: TornadoServer/6.4.1\r\n"
            b"Content-Type: text/html; charset=UTF-8\r\nLocation: /lab?\r\n"
            b"Content-Length: 0\r\nConnection: close\r\n\r\n"
        )
        await asyncio.get_running_loop().sock_sendall(guest, answer)


async def http(guest: socket.socket) -> None:
    """A model server."""
    with guest:
        await _request(guest)
        answer = (
            b"HTTP/1.1 200 OK\r\nserver: uvicorn\r\ncontent-type: application/json\r\n"
            b"content-length: 15\r\nconnection: close\r\n\r\n"
        )
        await asyncio.get_running_loop().sock_sendall(guest, answer + b'{"status":"ok"}')


async def stranger(guest: socket.socket) -> None:
    """A VNC server that took the port of something else. It speaks first, so any probe hears it."""
    loop = asyncio.get_running_loop()
    with guest:
        await loop.sock_sendall(guest, b"RFB 003.008\n")
        await asyncio.wait_for(loop.sock_recv(guest, 1024), PATIENCE_S)


async def proxy_alone(guest: socket.socket) -> None:
    """docker-proxy before a dead service: it takes the connection and lets it go."""
    guest.close()


SERVICES: dict[str, Greeting] = {
    "ssh": ssh_banner,
    "jupyter": jupyter,
    "http": http,
    "vnc": stranger,
}
