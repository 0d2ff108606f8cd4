"""A private PostgreSQL cluster in a folder of its own, on a free port of 127.0.0.1."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from tests.parts.processes import free_port, spawn, stop, wait_until


def _programs() -> Path:
    newest = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[4]
    )
    found = newest[-1] if newest else Path(shutil.which("initdb") or "/usr/bin/initdb")
    return found.parent


class Postgres:
    """Fast and forgetful: no fsync. As root the server runs as `postgres`, which it insists on."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.programs = folder, free_port(), _programs()
        self.user = "postgres" if os.geteuid() == 0 else ""
        folder.mkdir(parents=True, exist_ok=True)
        if self.user:
            owner = pwd.getpwnam(self.user)
            os.chown(folder, owner.pw_uid, owner.pw_gid)

    @property
    def url(self) -> str:
        return f"postgresql://halfhour@127.0.0.1:{self.port}/halfhour"

    def start(self) -> "Postgres":
        cluster = self.folder / "cluster"
        argv = [self.programs / "initdb", "-D", cluster, "-U", "halfhour", "-A", "trust", "-N"]
        self._run(*argv, "--locale=C.UTF-8", "--encoding=UTF8")
        options = ["-k", self.folder, "-p", str(self.port), "-h", "127.0.0.1", "-F"]
        server = [self.programs / "postgres", "-D", cluster, *options]
        self._process = spawn([*server, "-c", "max_connections=200"], user=self.user)
        ready = [self.programs / "pg_isready", "-q", "-h", self.folder, "-p", str(self.port)]
        wait_until(
            lambda: subprocess.run([str(part) for part in ready], check=False).returncode == 0,
            seconds=20,
            what="PostgreSQL answers",
        )
        self._run(
            self.programs / "createdb",
            "-h",
            self.folder,
            "-p",
            str(self.port),
            "-U",
            "halfhour",
            "halfhour",
        )
        return self

    def _run(self, *argv: str | Path) -> None:
        as_user = ["runuser", "-u", self.user, "--"] if self.user else []
        command = [*as_user, *(str(part) for part in argv)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/")
        assert done.returncode == 0, f"{argv[0]}: {done.stderr}"

    def stop(self) -> None:
        stop(self._process)
