"""What touches the database works the same on PostgreSQL: those tests run again there, beside the
first ones, so that the second run costs little time.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
AGAIN = ("tests/fleet", "tests/diagnostics", "tests/tickets", "tests/config")
OTHER_TIERS = "not sshd and not browser and not worker and not docker and not postgres and not long"
OPTIONS = (
    "-q",
    "-p",
    "no:cacheprovider",
    "--no-header",
    "-m",
    OTHER_TIERS,
    "--tb=short",
    "-r",
    "f",
)
LONGEST_S = 600


class SecondRun:
    """pytest once more, gently, with PostgreSQL under it."""

    def __init__(self, url: str, output: Path) -> None:
        self.output = output
        folders = [folder for folder in AGAIN if (ROOT / folder).exists()]
        pytest_again = [sys.executable, "-m", "pytest", "--database-only", *OPTIONS, *folders]
        with output.open("wb") as written:
            self._process = subprocess.Popen(
                ["nice", "-n", "10", *pytest_again],
                cwd=ROOT,
                env={**os.environ, "DATABASE_URL": url},
                stdout=written,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def is_running(self) -> bool:
        return self._process.poll() is None

    def result(self) -> int:
        """Its exit status, once it has ended."""
        return self._process.wait(timeout=LONGEST_S)

    def stop(self) -> None:
        if self.is_running():
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(timeout=30)


@pytest.fixture(scope="session")
def second_run(postgres: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecondRun]:
    run = SecondRun(postgres.url, tmp_path_factory.mktemp("postgres") / "output")
    yield run
    run.stop()


@pytest.mark.first
@pytest.mark.postgres
def test_the_database_tests_begin_on_postgresql(second_run: SecondRun) -> None:
    assert second_run.is_running()


@pytest.mark.last
@pytest.mark.postgres
@pytest.mark.timeout(LONGEST_S + 60)
def test_the_database_tests_pass_on_postgresql(second_run: SecondRun) -> None:
    status = second_run.result()
    told = second_run.output.read_text("utf-8", "replace")
    assert status == 0, told[-8000:]
    assert " passed" in told
