"""Keeps one SSH connection per address between visits. The connections' only owner."""

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from fleet.transport.deadline import Deadline
from fleet.transport.result import Address, Result, TimedOut, TransportError
from fleet.transport.session import Session
from fleet.transport.ssh import DEFAULT_CAP, SshTransport, connect_by


class _Kept:
    """A connection and how many runs are on it. A doomed one is closed by its last run."""

    __slots__ = ("doomed", "runs", "transport")

    def __init__(self, transport: SshTransport) -> None:
        self.transport = transport
        self.runs = 0
        self.doomed = False


class _Slot:
    """The place of one address. `opening` is held while its connection is looked at or opened."""

    __slots__ = ("kept", "opening", "users")

    def __init__(self) -> None:
        self.opening = threading.Lock()
        self.kept: _Kept | None = None
        self.users = 0


class Connections:
    """Runs commands over kept connections: at most `limit` of them, the least used given up first.

    Threads may share it. A forked child starts empty and leaves its parent's connections alone.
    Any error drops the connection it happened on. A kept connection that proves dead before a
    command was started on it is replaced once; a command that may have started is never run again.
    """

    def __init__(self, limit: int = 1200) -> None:
        self._limit = limit
        self._forget()
        _all.add(self)

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._slots: OrderedDict[Address, _Slot] = OrderedDict()

    def __len__(self) -> int:
        """How many connections are kept now."""
        with self._lock:
            return sum(slot.kept is not None for slot in self._slots.values())

    def run(
        self,
        address: Address,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = DEFAULT_CAP,
    ) -> Result:
        """As result.Transport.run; `timeout` covers connecting too."""
        deadline = Deadline(timeout)
        with self._slot(address) as slot:
            kept, session = self._open(slot, address, deadline, cap)
            try:
                return session.run(argv, deadline, stdin)
            except BaseException:
                self._drop(slot, kept)
                raise
            finally:
                self._leave(kept)

    def close_all(self) -> None:
        """Close every connection. Commands still running on them end as Unreachable."""
        with self._lock:
            slots = list(self._slots.values())
            self._slots.clear()
        for slot in slots:
            kept, slot.kept = slot.kept, None
            if kept is not None:
                kept.transport.close()

    @contextmanager
    def _slot(self, address: Address) -> Iterator[_Slot]:
        with self._lock:
            slot = self._slots.setdefault(address, _Slot())
            self._slots.move_to_end(address)
            slot.users += 1
            given_up = self._over_limit()
        for kept in given_up:
            kept.transport.close()
        try:
            yield slot
        finally:
            with self._lock:
                slot.users -= 1
                orphan = self._orphan(address, slot)
            if orphan is not None:
                orphan.transport.close()

    def _orphan(self, address: Address, slot: _Slot) -> _Kept | None:
        """After a slot's last user: forget it if empty; what close_all could not see yet is out."""
        if slot.users:
            return None
        if self._slots.get(address) is not slot:
            return slot.kept
        if slot.kept is None:
            del self._slots[address]
        return None

    def _over_limit(self) -> list[_Kept]:
        """Take out the least recently used idle slots; what is in use may exceed the limit."""
        excess = len(self._slots) - self._limit
        idle = (key for key, slot in self._slots.items() if not slot.users) if excess > 0 else ()
        keys = [key for key, _ in zip(idle, range(excess), strict=False)]
        slots = [self._slots.pop(key) for key in keys]
        return [slot.kept for slot in slots if slot.kept is not None]

    def _open(
        self, slot: _Slot, address: Address, deadline: Deadline, cap: int
    ) -> tuple[_Kept, Session]:
        """A session on the slot's connection, fresh when there is none or it proves dead."""
        if not slot.opening.acquire(timeout=deadline.left()):
            raise TimedOut("another thread is still connecting", stage="channel")
        try:
            kept = slot.kept
            session = self._reuse(slot, kept, deadline, cap) if kept else None
            if kept and session:
                return kept, session
            kept = slot.kept = _Kept(connect_by(address, deadline))
            kept.runs += 1
            try:
                return kept, kept.transport.open(deadline, cap=cap)
            except BaseException:
                self._drop(slot, kept)
                self._leave(kept)
                raise
        finally:
            slot.opening.release()

    def _reuse(self, slot: _Slot, kept: _Kept, deadline: Deadline, cap: int) -> Session | None:
        """A session on a kept connection; None, and the connection dropped, when it is dead."""
        with self._lock:
            kept.runs += 1
        try:
            if kept.transport.alive:
                # Half of the time is for the connection that follows if this one is dead.
                return kept.transport.open(deadline.within(deadline.left() / 2), cap=cap)
        except TransportError:
            pass
        self._drop(slot, kept)
        self._leave(kept)
        return None

    def _drop(self, slot: _Slot, kept: _Kept) -> None:
        with self._lock:
            kept.doomed = True
            if slot.kept is kept:
                slot.kept = None

    def _leave(self, kept: _Kept) -> None:
        with self._lock:
            kept.runs -= 1
            last = kept.doomed and not kept.runs
        if last:
            kept.transport.close()


_all: "weakref.WeakSet[Connections]" = weakref.WeakSet()


def _forget_all() -> None:
    for connections in list(_all):
        connections._forget()


os.register_at_fork(after_in_child=_forget_all)
