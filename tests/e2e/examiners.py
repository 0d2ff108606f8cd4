"""An examiner dies or freezes: the other one takes over, and nobody is examined twice at once."""

import os
import signal
import time
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

from tests.e2e.pixels import instant
from tests.parts.processes import wait_until
from tests.parts.stack import Stack

LONGEST_GAP_S = 150.0


@dataclass(frozen=True)
class Visit:
    pk: int
    node: int
    start: float
    end: float
    examiner: str


@dataclass(frozen=True)
class Watched:
    """What happened to the fleet while examiners were hurt."""

    visits: int
    longest_gap: float
    overlaps: list[tuple[Visit, Visit]]  # a node examined twice at once
    stale: list[Visit]  # written after a visit that began later


def visits(stack: Stack, since: float) -> dict[int, list[Visit]]:
    """Every stored visit that ended after `since`, by node, in the order they were written."""
    rows = stack.query(
        "select id, node_id, started_at, ended_at, examiner from diagnostics_examination"
        " order by id"
    )
    by_node: dict[int, list[Visit]] = defaultdict(list)
    for pk, node, start, end, examiner in rows:
        if instant(end) >= since:
            by_node[node].append(Visit(pk, node, instant(start), instant(end), examiner))
    return by_node


def examiner_pids(stack: Stack, number: int) -> list[int]:
    return stack.pids("celery", f"examine.{number}")


def freeze(stack: Stack, number: int, seconds: float) -> tuple[float, float]:
    """SIGSTOP every process of one examiner for `seconds`; (stopped at, continued at)."""
    pids = examiner_pids(stack, number)
    assert pids, f"no process of examiner {number}"
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    stopped = time.time()
    time.sleep(seconds)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    return stopped, time.time()


def kill(stack: Stack, number: int) -> None:
    """SIGKILL one examiner; the supervisor starts it again."""
    pids = examiner_pids(stack, number)
    assert pids, f"no process of examiner {number}"
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    wait_until(
        lambda: (new := examiner_pids(stack, number)) and not set(new) & set(pids),
        seconds=30,
        what="the killed examiner runs again",
    )


def watched(stack: Stack, since: float) -> Watched:
    """Judge everything since `since`."""
    now = time.time()
    by_node = visits(stack, since)
    nodes = [pk for (pk,) in stack.query("select id from fleet_node where state = 'active'")]
    gaps = []
    for node in nodes:
        ends = [since, *sorted(visit.end for visit in by_node[node]), now]
        gaps.append(max(later - earlier for earlier, later in pairwise(ends)))
    pairs = [pair for seen in by_node.values() for pair in pairwise(seen)]  # as they were written
    return Watched(
        visits=sum(len(seen) for seen in by_node.values()),
        longest_gap=max(gaps),
        overlaps=[(a, b) for a, b in pairs if a.start < b.end and b.start < a.end],
        stale=[b for a, b in pairs if b.start < a.start],
    )
