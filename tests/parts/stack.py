"""Halfhour itself, started as a newcomer starts it: `manage.py up --demo`, a folder of its own."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from tests.parts.processes import free_port, spawn, stop, wait_until

ROOT = Path(__file__).resolve().parents[2]
LOGIN = re.compile(r"^\s*(\S+)\s+(\S+@\S+)\s+(\S+)\s*$", re.MULTILINE)
INHERITED_NOT = ("DJANGO_", "HALFHOUR_", "REDIS_", "DATABASE_", "SECRET_", "PYTHONDONTWRITE")


class Stack:
    """One whole installation on loopback. `folder` keeps its data between starts."""

    def __init__(
        self, folder: Path, *, port: int | None = None, root: Path = ROOT, **extra: str
    ) -> None:
        """`extra` are environment variables, such as REDIS_URL for a broker we may break."""
        self.folder, self.root, self.port, self.extra = folder, root, port or free_port(), extra
        self.log = folder / "up.log"
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(INHERITED_NOT)}
        own = {"PORT": str(self.port), "HALFHOUR_DATA": str(self.folder / "data")}
        return {**kept, **own, **self.extra}

    def start(self, *, healthy_within: float = 120) -> "Stack":
        """Start, and return once all parts serve and every node has been examined."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            argv = [sys.executable, "manage.py", "up", "--demo"]
            self.process = spawn(argv, log=log, cwd=self.root, env=self.environment)
        wait_until(
            self.is_whole, seconds=healthy_within, what=f"healthy (see {self.log})", every=0.3
        )
        return self

    def is_whole(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-3000:]
        status, body = self.health()
        return status == 200 and body["sweep"]["never_examined"] == 0

    def health(self) -> tuple[int, dict[str, Any]]:
        """Status and body of `/healthz`; (0, {}) when nobody answers."""
        try:
            with urlopen(f"{self.url}/healthz", timeout=5) as answer:
                return answer.status, json.load(answer)
        except URLError as error:
            if hasattr(error, "code"):
                return error.code, json.loads(error.read() or b"{}")
            return 0, {}
        except OSError:
            return 0, {}

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, seconds=30)

    def logins(self) -> list[tuple[str, str, str]]:
        """(role, e-mail, password) of each printed line."""
        return LOGIN.findall(self.log.read_text(encoding="utf-8", errors="replace"))

    def login(self, role: str, number: int = 0) -> tuple[str, str]:
        found = [(mail, password) for kind, mail, password in self.logins() if kind == role]
        return found[number]

    def manage(self, *argv: str, timeout: float = 60) -> str:
        """Run one of the commands against this installation; its output."""
        done = subprocess.run(
            [sys.executable, "manage.py", *argv],
            cwd=self.root,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        assert done.returncode == 0, f"{argv}: {done.stdout}{done.stderr}"
        return done.stdout

    def simulate(self, *argv: str) -> Any:
        return json.loads(self.manage("simulate", *argv, "--json") or "null")

    def query(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the installation's own database, as it stands now."""
        path = self.folder / "data" / "halfhour.sqlite3"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)) as database:
            return database.execute(sql, values).fetchall()

    def processes(self) -> dict[int, str]:
        """Every process of this installation (known by its data folder): pid → command line."""
        mark = f"HALFHOUR_DATA={self.folder / 'data'}\0".encode()
        return {pid: line for pid, line, environ in _processes() if mark in environ}

    def pids(self, *words: str) -> list[int]:
        """The processes whose command line holds every word."""
        return [
            pid for pid, line in self.processes().items() if all(word in line for word in words)
        ]

    def kill(self) -> None:
        """SIGKILL the supervisor alone."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait(5)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _processes() -> Iterator[tuple[int, str, bytes]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (
                    (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                )
                environ = (entry / "environ").read_bytes() + b"\0"
            except OSError:
                continue
            if line:  # a zombie has none
                yield int(entry.name), line, environ
