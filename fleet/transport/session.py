"""One command on one channel: fed, drained and ended by one deadline. Knows no SSH library."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from threading import Event
from typing import Protocol

from fleet.transport.command import command_line
from fleet.transport.deadline import Deadline
from fleet.transport.result import OutputTooLarge, Result


class Channel(Protocol):
    """What is used of the library's channel."""

    closed: bool
    exit_status: int
    status_event: Event

    def settimeout(self, timeout: float | None) -> None: ...
    def set_combine_stderr(self, combine: bool) -> bool: ...
    def exec_command(self, command: str) -> None: ...
    def recv_ready(self) -> bool: ...
    def recv(self, nbytes: int) -> bytes: ...
    def send_ready(self) -> bool: ...
    def send(self, s: bytes) -> int: ...
    def shutdown_write(self) -> None: ...
    def close(self) -> None: ...


class Owner(Protocol):
    """The connection a channel belongs to."""

    @property
    def alive(self) -> bool: ...
    def settle(self) -> None: ...
    def guarded(
        self, what: str, stage: str, deadline: Deadline, partial: Callable[[], bytes]
    ) -> AbstractContextManager[None]: ...


class Session:
    """One channel, open, on which no command was started yet. Runs one command."""

    def __init__(self, owner: Owner, channel: Channel, cap: int) -> None:
        self._owner = owner
        self._channel = channel
        self._cap = cap
        self._pieces: list[bytes] = []
        self._size = 0

    def run(self, argv: Sequence[str], deadline: Deadline, stdin: bytes | None = None) -> Result:
        """As Transport.run, until `deadline`. Whatever it raises, the command may have started."""
        line = command_line(argv, seconds=deadline.left(), stdin=stdin is not None)
        began = time.monotonic()
        with self._owner.guarded("the command", "command", deadline, self._partial):
            self._channel.settimeout(max(deadline.left(), 0.001))
            self._channel.set_combine_stderr(True)
            self._channel.exec_command(line)
            if stdin is not None:
                self._send(stdin, deadline)
            while self._receive(deadline.left()):
                pass
            if not self._channel.status_event.wait(deadline.left()):
                raise TimeoutError
            status = self._status()
            self._channel.close()
        return Result(tuple(argv), status, self._partial(), time.monotonic() - began)

    def _partial(self) -> bytes:
        return b"".join(self._pieces)[: self._cap]

    def _receive(self, wait: float) -> bool:
        """Take what arrives next; False at the end of output. TimeoutError after `wait` s."""
        if wait <= 0:
            raise TimeoutError
        self._channel.settimeout(wait)
        piece = self._channel.recv(65_536)
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size > self._cap:
            raise OutputTooLarge(
                f"more than {self._cap} bytes", partial=self._partial(), stage="command"
            )
        return bool(piece)

    def _send(self, stdin: bytes, deadline: Deadline) -> None:
        """Send stdin whole, taking output meanwhile: a full output window stops the reader too."""
        at = 0
        while at < len(stdin) and not self._channel.closed:
            if deadline.passed:
                raise TimeoutError
            if self._channel.recv_ready():
                self._receive(deadline.left())
            elif self._channel.send_ready():
                self._channel.settimeout(deadline.left() or 0.001)
                try:
                    sent = self._channel.send(stdin[at : at + 32_768])
                except OSError:
                    return  # the command ended before it had read everything
                if not sent:
                    return
                at += sent
            else:
                time.sleep(0.005)
        if not self._channel.closed:
            self._channel.shutdown_write()

    def _status(self) -> int | None:
        """The exit status; None when the server ended the channel properly but sent none."""
        if self._channel.exit_status >= 0:
            return self._channel.exit_status
        # The library also marks the channel as ended when the connection breaks, just before its
        # thread ends.
        self._owner.settle()
        if not self._owner.alive:
            raise EOFError("the connection broke")
        return None
