"""Absolute deadlines, and the one thread that ends whatever outlives its deadline. No SSH."""

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# The watchdog comes after the waits that know their deadline, so that those report it.
GRACE_S = 0.3


class Deadline:
    """A moment on the monotonic clock. Passed on whole, never turned back into a timeout."""

    __slots__ = ("at",)

    def __init__(self, seconds: float) -> None:
        self.at = time.monotonic() + seconds

    def left(self) -> float:
        """Seconds until then; 0 when it has passed."""
        return max(0.0, self.at - time.monotonic())

    @property
    def passed(self) -> bool:
        """True from the moment on."""
        return time.monotonic() >= self.at

    def within(self, seconds: float) -> "Deadline":
        """The earlier of this deadline and `seconds` from now: a stage's own limit."""
        limit = Deadline(seconds)
        limit.at = min(limit.at, self.at)
        return limit


class _Watch:
    __slots__ = ("stop",)

    def __init__(self, stop: Callable[[], None]) -> None:
        self.stop: Callable[[], None] | None = stop


class Watchdog:
    """Calls `stop` when a guarded block is still running GRACE_S after its deadline.

    paramiko has waits that take no timeout (the reply to exec, a write to a full socket, a stalled
    re-key); cutting the socket under them is what bounds them. One thread per process serves all.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._watches: list[tuple[float, int, _Watch]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        os.register_at_fork(after_in_child=self._forget)

    @contextmanager
    def over(self, deadline: Deadline, stop: Callable[[], None]) -> Iterator[None]:
        """Guard a block. `stop` runs in the watchdog's thread and must neither block nor raise."""
        watch = _Watch(stop)
        self._add(deadline.at + GRACE_S, watch)
        try:
            yield
        finally:
            watch.stop = None

    def _add(self, at: float, watch: _Watch) -> None:
        with self._changed:
            heapq.heappush(self._watches, (at, next(self._numbers), watch))
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="transport-watchdog", daemon=True
                )
                self._thread.start()
            if self._watches[0][2] is watch:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                watch = self._next_due()
            stop = watch.stop
            if stop is not None:
                stop()

    def _next_due(self) -> _Watch:
        """Wait, holding the lock, for the next watch that is due.

        Blocks that ended are dropped on the way, so that a thousand ordinary runs do not wake this
        thread a thousand times when their deadlines come.
        """
        while True:
            while self._watches and self._watches[0][2].stop is None:
                heapq.heappop(self._watches)
            wait = self._watches[0][0] - time.monotonic() if self._watches else None
            if wait is not None and wait <= 0:
                return heapq.heappop(self._watches)[2]
            self._changed.wait(wait)

    def _forget(self) -> None:
        """In a forked child: the thread stayed behind, and the lock may be held by nobody."""
        self._changed = threading.Condition()
        self._watches = []
        self._thread = None


watchdog = Watchdog()
