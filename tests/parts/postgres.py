"""A private PostgreSQL cluster in a folder of its own, reached over a unix socket."""

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
        self.as_user: list[str] = []
        folder.mkdir(parents=True, exist_ok=True)
        if os.geteuid() == 0:
            self.as_user = ["runuser", "-u", "postgres", "--"]
            owner = pwd.getpwnam("postgres")
            os.chown(folder, owner.pw_uid, owner.pw_gid)
            for parent in folder.parents:
                if parent.stat().st_uid == 0 and parent != Path("/"):
                    parent.chmod(parent.stat().st_mode | 0o011)

    @property
    def url(self) -> str:
        return f"postgresql://halfhour@/halfhour?host={self.folder}&port={self.port}"

    @property
    def tcp_url(self) -> str:
        return f"postgresql://halfhour@127.0.0.1:{self.port}/halfhour"

    def start(self) -> "Postgres":
        cluster = self.folder / "cluster"
        argv = [self.programs / "initdb", "-D", cluster, "-U", "halfhour", "-A", "trust", "-N"]
        self._run(*argv, "--locale=C.UTF-8", "--encoding=UTF8")
        options = ["-k", self.folder, "-p", str(self.port), "-h", "127.0.0.1", "-F"]
        server = [*self.as_user, self.programs / "postgres", "-D", cluster, *options]
        self._process = spawn([*server, "-c", "max_connections=200"])
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
        command = [*self.as_user, *(str(part) for part in argv)]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd="/")
        assert done.returncode == 0, f"{argv[0]}: {done.stderr}"

    def stop(self) -> None:
        stop(self._process)
