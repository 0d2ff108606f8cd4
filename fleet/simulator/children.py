"""Ends everything a guest started: also what moved into a group or session of its own."""

import os
import signal
from pathlib import Path


def _table() -> dict[int, tuple[int, int]]:
    """pid → (parent, session) of every process of this machine."""
    found = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - ten times cheaper than pathlib here
        if not entry.isdecimal():
            continue
        try:
            stat = Path("/proc", entry, "stat").read_bytes()
        except OSError:
            continue
        # The name, in brackets, may hold anything.
        fields = stat.rpartition(b")")[2].split()
        found[int(entry)] = (int(fields[1]), int(fields[3]))
    return found


def family(leader: int) -> set[int]:
    """The process, its session, and all their descendants."""
    table = _table()
    found = {pid for pid, (_parent, session) in table.items() if session == leader}
    found.add(leader)
    grown = True
    while grown:
        more = {pid for pid, (parent, _session) in table.items() if parent in found} - found
        found |= more
        grown = bool(more)
    return found


def end(leader: int) -> None:
    """Kill them all. `leader` must be a child that was not waited for yet."""
    for pid in family(leader):
        try:
            os.kill(pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue
