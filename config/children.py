"""Child processes that cannot outlive us, however we die: each has a group of its own, the kernel
kills it with us, and a watchman kills the groups so that grandchildren go too.
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PR_SET_PDEATHSIG = 1
LOG_LIMIT = 5 << 20
WATCH = """
trap '' INT TERM HUP; groups=' '
while read -r sign group; do case $sign in
  +) groups="$groups$group " ;;
  -) groups="${groups%% $group *} ${groups#* $group }" ;;
esac; done
for group in $groups; do kill -KILL "-$group"; done
"""
# `up` has checked the settings; every Celery process would import all pages to check them again.
EXTRA = {"CELERY_SKIP_CHECKS": "1"}
libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Program:
    """What to run: `first` is written to its stdin, `grace_s` is how long it may take to end."""

    name: str
    argv: Sequence[str]
    first: str = ""
    grace_s: float = 6.0


class Watchman:
    """A shell that reads our list of groups from a pipe and kills them when the pipe breaks."""

    def __init__(self) -> None:
        self._shell = subprocess.Popen(
            ["/bin/sh", "-c", WATCH],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            text=True,
            bufsize=1,
        )

    def note(self, sign: str, group: int) -> None:
        assert self._shell.stdin is not None
        self._shell.stdin.write(f"{sign} {group}\n")

    def dismiss(self) -> None:
        """All groups are gone: the watchman goes home."""
        assert self._shell.stdin is not None
        self._shell.stdin.close()
        self._shell.wait(5)


class Child:
    """One running program. Its output goes to `log`."""

    def __init__(
        self, program: Program, log: Path, environment: Mapping[str, str], watchman: Watchman
    ) -> None:
        self.program = program
        self.log = log
        self._watchman = watchman
        parent = os.getpid()

        def die_with_parent() -> None:
            if sys.platform == "linux":
                libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)

        with log.open("ab") as output:
            if output.tell() > LOG_LIMIT:
                output.truncate(0)
            self.process = subprocess.Popen(
                program.argv,
                stdin=subprocess.PIPE if program.first else subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**environment, **EXTRA, "HALFHOUR_PROCESS": program.name},
                start_new_session=True,
                preexec_fn=die_with_parent,  # noqa: PLW1509 - we have one thread
            )
        watchman.note("+", self.process.pid)
        if self.process.stdin is not None:
            self.process.stdin.write(program.first.encode())
            self.process.stdin.close()

    def ended(self) -> int | None:
        """The exit status once it has ended; its group is swept up then."""
        status = self.process.poll()
        if status is not None:
            self.kill()
        return status

    def ask_to_end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()

    def kill(self) -> None:
        """Kill the whole group, reap the child, and take it off the watchman's list."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._watchman.note("-", self.process.pid)

    def last_words(self, lines: int = 8) -> str:
        """The end of its log, for the person who started us."""
        text = self.log.read_bytes()[-4096:].decode(errors="replace")
        return "\n".join(f"  {line}" for line in text.splitlines()[-lines:])


def python(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]
