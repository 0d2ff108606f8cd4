"""Line 1: a fresh clone, `make run`, a killed supervisor, a second run."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from tests.parts.processes import stop, wait_until
from tests.parts.stack import Stack
from tests.show.proof import ROOT, Proof

COLD_S, CACHED_S, WARM_S, GONE_S = 600.0, 30.0, 10.0, 5.0


class Clone(Stack):
    """An installation started by `make run` in a clone of this repository."""

    def __init__(self, folder: Path, **extra: str) -> None:
        super().__init__(folder, root=folder / "halfhour", **extra)

    def clone(self) -> "Clone":
        self.folder.mkdir(parents=True, exist_ok=True)
        argv = ["git", "clone", "-q", str(ROOT), str(self.root)]
        subprocess.run(argv, check=True, capture_output=True)
        return self

    def make_run(self) -> float:
        """`make run`; seconds until the first page came, whole."""
        start = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                ["make", "run"], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        wait_until(self._first_page, seconds=COLD_S, what=f"first page (see {self.log})")
        return time.monotonic() - start

    def _first_page(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.log.read_text(errors="replace")[-2000:]
        try:
            with urlopen(f"{self.url}/accounts/login/", timeout=5) as answer:
                return answer.status == 200 and b"</html>" in answer.read()
        except (URLError, OSError):
            return False

    def supervisor(self) -> int:
        (pid,) = self.pids("manage.py", "up")
        return pid


def starting(proof: Proof) -> None:
    folder = Path(tempfile.mkdtemp(prefix="halfhour-show-"))
    cache = {"UV_CACHE_DIR": str(folder / "uv"), "PIP_CACHE_DIR": str(folder / "pip")}
    try:
        cold = Clone(folder / "cold", **cache).clone()
        seconds = cold.make_run()
        proof.check(seconds < COLD_S, f"cold, nothing cached: {seconds:.1f} s to the first page")
        stop(cold.process, seconds=30)  # type: ignore[arg-type]
        cached = Clone(folder / "cached", **cache).clone()
        seconds = cached.make_run()
        proof.check(seconds <= CACHED_S, f"wheels cached: {seconds:.1f} s (≤ {CACHED_S:g})")
        _second_run(proof, cached)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _second_run(proof: Proof, clone: Clone) -> None:
    wait_until(clone.is_whole, seconds=180, what="every node examined", every=0.5)
    logins, before = clone.logins(), _examinations(clone)
    proof.check(len(logins) >= 4, f"{len(logins)} demo logins printed")
    os.kill(clone.supervisor(), 9)
    start = time.monotonic()
    wait_until(lambda: not clone.processes(), seconds=30, what="no process left")
    gone = time.monotonic() - start
    proof.check(gone <= GONE_S, f"kill -9 of the supervisor: no process left after {gone:.1f} s")
    seconds = clone.make_run()
    proof.check(seconds <= WARM_S, f"warm: {seconds:.1f} s (≤ {WARM_S:g})")
    wait_until(lambda: len(clone.logins()) >= 4, seconds=20, what="logins printed")
    kept = clone.logins() == logins and _examinations(clone) >= before > 0
    proof.check(kept, f"second run keeps the data ({before} examinations, the same logins)")
    stop(clone.process, seconds=30)  # type: ignore[arg-type]
    wait_until(lambda: not clone.processes(), seconds=30, what="no process left after Ctrl-C")


def _examinations(clone: Clone) -> int:
    ((count,),) = clone.query("select count(*) from diagnostics_examination")
    return int(count)
