"""The bytes under SSH: a bounded TCP connection, read in large pieces and cut from any thread."""

import os
import queue
import socket
import threading
import weakref
from contextlib import suppress
from typing import Protocol

from fleet.transport.deadline import Deadline
from fleet.transport.result import Unreachable

USER_TIMEOUT_MS = 30_000
PIECE = 65_536


class Stream(Protocol):
    """A socket, or a jump host's channel."""

    def recv(self, nbytes: int, /) -> bytes: ...
    def send(self, data: bytes, /) -> int: ...
    def settimeout(self, seconds: float | None, /) -> None: ...
    def close(self) -> None: ...


def dial(host: str, port: int, deadline: Deadline) -> socket.socket:
    """A TCP connection to the first address that answers. Raises Unreachable (resolve, tcp)."""
    addresses = _resolve(host, port, deadline)
    problem = "no address"
    for number, (family, sockaddr) in enumerate(addresses):
        # A dead first address must not eat the time of the second.
        limit = deadline.left() / (len(addresses) - number)
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.settimeout(max(limit, 0.001))
            connection.connect(sockaddr)
        except TimeoutError:
            problem = "no answer to the TCP connection"
        except OSError as error:
            problem = (error.strerror or str(error)).lower()
        else:
            _tune(connection)
            return connection
        connection.close()
    raise Unreachable(f"{host}:{port}: {problem}", stage="tcp")


_Addresses = list[tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int]]]


def _resolve(host: str, port: int, deadline: Deadline) -> _Addresses:
    try:
        return _look_up(host, port, socket.AI_NUMERICHOST)
    except OSError:
        pass
    # getaddrinfo takes no timeout, so a name is looked up by a thread that may be abandoned.
    answer: queue.SimpleQueue[_Addresses | OSError | UnicodeError] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answer.put(_look_up(host, port, 0))
        except (OSError, UnicodeError) as error:
            answer.put(error)

    threading.Thread(target=ask, name="transport-resolve", daemon=True).start()
    try:
        found = answer.get(timeout=deadline.left())
    except queue.Empty:
        raise Unreachable(f"{host}: the name was not resolved in time", stage="resolve") from None
    if isinstance(found, Exception):
        raise Unreachable(f"{host}: the name does not resolve", stage="resolve") from found
    return found


def _look_up(host: str, port: int, flags: int) -> _Addresses:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, sockaddr) for family, _, _, _, sockaddr in found]  # type: ignore[misc]


def _tune(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_USER_TIMEOUT", USER_TIMEOUT_MS),
        ("TCP_KEEPIDLE", 30),
        ("TCP_KEEPINTVL", 10),
        ("TCP_KEEPCNT", 3),
    ):
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


class Wire:
    """What the SSH library reads and writes.

    Reading takes all that has arrived at once: several small packets cost one system call and one
    switch between threads. `root` is the TCP socket underneath, also when `stream` is a channel of
    a jump host; cutting it ends every wait above it. In a forked child a wire is dead, so that the
    child can neither write into its parent's session nor hold it open.
    """

    def __init__(self, stream: Stream, root: socket.socket) -> None:
        self._stream = stream
        self._root = root
        self._buffer = b""
        self._at = 0
        self._closed = False  # also read by paramiko at interpreter exit
        self.received = 0
        self.ended = False
        with _wires_lock:
            _wires.add(self)

    @property
    def root(self) -> socket.socket:
        """The TCP socket underneath."""
        return self._root

    def recv(self, nbytes: int) -> bytes:
        """Up to `nbytes`; empty when the other side has closed."""
        if self._at == len(self._buffer):
            self._buffer, self._at = self._read(), 0
        piece = self._buffer[self._at : self._at + nbytes]
        self._at += len(piece)
        return piece

    def _read(self) -> bytes:
        try:
            arrived = self._stream.recv(PIECE)
        except TimeoutError:
            raise
        except OSError:
            self.ended = True
            raise
        self.received += len(arrived)
        self.ended = self.ended or not arrived
        return arrived

    def send(self, data: bytes) -> int:
        """As a socket's."""
        if self.ended:
            raise OSError("the connection has ended")
        return self._stream.send(data)

    def settimeout(self, seconds: float | None) -> None:
        """As a socket's."""
        self._stream.settimeout(seconds)

    def close(self) -> None:
        """Give the descriptor up; the reading thread does this when it ends."""
        self.ended = self._closed = True
        with suppress(Exception):  # a jump host's channel may fail in any way when it has gone
            self._stream.close()
        self._root.close()

    def cut(self) -> None:
        """End every read and write at once, from any thread, without blocking."""
        self.ended = True
        with suppress(OSError):  # it may have ended already
            self._root.shutdown(socket.SHUT_RDWR)

    def disown(self) -> None:
        """In a forked child: let go of the parent's connection without a word to the server."""
        self.ended = self._closed = True
        self._root.close()


# Guarded, because a set must not grow while the fork hook of another thread walks it.
_wires: "weakref.WeakSet[Wire]" = weakref.WeakSet()
_wires_lock = threading.Lock()


def _disown_all() -> None:
    """In a forked child: the lock was taken before the fork, so it is ours to release."""
    for wire in list(_wires):
        wire.disown()
    _wires_lock.release()


os.register_at_fork(
    before=_wires_lock.acquire, after_in_parent=_wires_lock.release, after_in_child=_disown_all
)
