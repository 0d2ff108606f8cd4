"""The supervisor's children: none outlives it, and what dies is started again."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.children import Program
from config.supervisor import Supervisor
from tests.parts.processes import spawn, wait_until

ROOT = Path(__file__).resolve().parents[2]
FAMILY = ["sh", "-c", "sleep 1234.5 & exec sleep 1234.5"]  # a child and its own child
RUN = """
import sys, time, pathlib
from config.children import Program
from config.supervisor import Supervisor
folder = pathlib.Path(sys.argv[1]); (folder / "run").mkdir()
s = Supervisor(folder, print); s.obey_signals()
s.start(Program("one", sys.argv[2:]), Program("two", sys.argv[2:]))
s.watch(); s.stop()
"""


def sleepers(folder: Path) -> list[int]:
    """Living processes that were started for this folder."""
    mark = f"MARK={folder}\0".encode()
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark in (entry / "environ").read_bytes() + b"\0":
                state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
                if state != "Z":
                    found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.fixture
def supervised(tmp_path: Path) -> "Iterator[subprocess.Popen[bytes]]":
    """A supervisor in a process of its own with two families below it."""
    process = spawn(
        [sys.executable, "-c", RUN, tmp_path, *FAMILY],
        cwd=ROOT,
        env={**os.environ, "MARK": str(tmp_path)},
    )
    wait_until(lambda: len(sleepers(tmp_path)) == 6, seconds=10, what="all processes run")
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_however_the_supervisor_ends_no_process_is_left(
    how: int, supervised: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    supervised.send_signal(how)
    wait_until(lambda: not sleepers(tmp_path), seconds=10, what="nobody is left")


def test_a_frozen_family_does_not_outlive_a_killed_supervisor(
    supervised: "subprocess.Popen[bytes]", tmp_path: Path
) -> None:
    for pid in sleepers(tmp_path):
        if pid != supervised.pid and b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes():
            os.kill(pid, signal.SIGSTOP)
    supervised.kill()
    wait_until(lambda: not sleepers(tmp_path), seconds=10, what="nobody is left")


def test_what_dies_is_started_again_with_growing_pauses_and_its_last_words_are_shown(
    tmp_path: Path,
) -> None:
    said: list[str] = []
    (tmp_path / "run").mkdir()
    supervisor = Supervisor(tmp_path, said.append)
    supervisor.start(Program("flop", ["sh", "-c", "echo out of luck; exit 3"]))
    supervisor.wait_for(lambda: len(said) >= 4, seconds=5)
    supervisor.stop()
    assert said[:4] == [
        "flop ended with status 3; starting it again in 0.5 s",
        "  out of luck",
        "flop ended with status 3; starting it again in 1 s",
        "  out of luck\n  out of luck",
    ]


def test_a_child_that_ignores_sigterm_is_killed_after_its_grace(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    supervisor = Supervisor(tmp_path, print)
    deaf = ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"]
    supervisor.start(Program("deaf", deaf, grace_s=0.5))
    log = tmp_path / "log" / "deaf.log"
    supervisor.wait_for(lambda: "ready" in log.read_text(), seconds=5)
    pid = int((tmp_path / "run" / "deaf.pid").read_text())
    supervisor.stop()
    assert not Path(f"/proc/{pid}").exists()
