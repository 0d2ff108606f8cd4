"""The examiner's threads: claimed plans go in, outcomes come out. No ORM in here.

One pool per process, with one set of kept connections. Whoever holds `collecting` takes outcomes
out and writes them; everybody else only puts plans in.
"""

import logging
import os
import queue
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from diagnostics.examine.record import Outcome, VisitPlan
from diagnostics.examine.visit import Pause, Runner, visit

log = logging.getLogger(__name__)
BACKLOG = 2  # plans claimed ahead per thread: a visit takes seconds, a tick comes every five


class Connections(Runner, Protocol):
    """Kept connections that can be given up together."""

    def close_all(self) -> None: ...


class Visit(Protocol):
    """The signature of `visit.visit`, so that tests can put another errand in."""

    def __call__(self, plan: VisitPlan, runner: Runner, *, pause: Pause) -> Outcome | None: ...


class Pool:
    """At most `workers` visits at once; `pending` counts from submit until settled."""

    def __init__(self, connections: Connections, *, workers: int, errand: Visit = visit) -> None:
        self.pid = os.getpid()
        self.workers = workers
        self.collecting = threading.Lock()
        self._connections = connections
        self._errand = errand
        self._threads = ThreadPoolExecutor(max_workers=workers, thread_name_prefix="visit")
        self._done: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()
        self._count = threading.Lock()
        self._pending = 0
        self._plans: dict[str, VisitPlan] = {}
        self._stop = threading.Event()

    @property
    def pending(self) -> int:
        """Plans submitted whose outcome has not been written yet."""
        return self._pending

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def room(self) -> int:
        """How many more plans may be claimed now."""
        return 0 if self.stopped else max(self.workers * BACKLOG - self._pending, 0)

    def submit(self, plans: Iterable[VisitPlan]) -> None:
        """Queue visits. A plan that cannot be taken any more is left to its claim's end."""
        for plan in plans:
            with self._count:
                self._pending += 1
                self._plans[_key(plan)] = plan
            try:
                self._threads.submit(self._run, plan)
            except RuntimeError:  # shut down meanwhile
                self.settled(1)

    def _run(self, plan: VisitPlan) -> None:
        outcome = None
        try:
            if not self.stopped:
                outcome = self._errand(plan, self._connections, pause=self._stop.wait)
        except Exception:
            log.exception("visit to node %s broke", plan.node_id)
        if outcome is not None or not self.stopped:
            with self._count:
                self._plans.pop(_key(plan), None)
        self._done.put(outcome)

    def take(self, *, timeout: float, gather: float) -> tuple[list[Outcome], int]:
        """Outcomes that are ready: waits `timeout` s for the first, `gather` s for more of them.

        Returns the outcomes and how many visits ended, those without an outcome included; pass
        that number to `settled` once they are written.
        """
        ended: list[Outcome | None] = []
        until = time.monotonic() + gather
        try:
            ended.append(self._done.get(timeout=timeout))
            while len(ended) < self._pending:
                ended.append(self._done.get(timeout=max(until - time.monotonic(), 0)))
        except queue.Empty:
            pass
        return [outcome for outcome in ended if outcome is not None], len(ended)

    def settled(self, count: int) -> None:
        """These many visits need nothing more."""
        with self._count:
            self._pending -= count

    def unfinished(self) -> list[VisitPlan]:
        """Plans that have not been visited, or whose visit was called off."""
        with self._count:
            return list(self._plans.values())

    def stop(self) -> None:
        """Call waits off, take nothing new, give the connections up. Visits end by themselves."""
        self._stop.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connections.close_all()


def _key(plan: VisitPlan) -> str:
    return f"{plan.node_id} {plan.token}"


class Keeper:
    """Makes the process's one pool when it is first needed, and again after a fork."""

    def __init__(self, make: Callable[[], Pool]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._pool: Pool | None = None

    def get(self) -> Pool:
        with self._lock:
            if self._pool is None or self._pool.pid != os.getpid():
                self._pool = self._make()
            return self._pool

    def stop(self) -> None:
        """End the pool, if this process has one."""
        with self._lock:
            if self._pool is not None and self._pool.pid == os.getpid():
                self._pool.stop()
