"""What touches the database works the same on PostgreSQL: those tests run again there."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
AGAIN = ("tests/fleet", "tests/diagnostics", "tests/tickets", "tests/config")
OTHER_TIERS = "not sshd and not browser and not worker and not docker and not postgres and not long"


@pytest.mark.postgres
@pytest.mark.timeout(600)
def test_the_database_tests_pass_on_postgresql(postgres: Any) -> None:
    folders = [folder for folder in AGAIN if (ROOT / folder).exists()]
    options = [
        "-q",
        "-p",
        "no:cacheprovider",
        "--no-header",
        "-m",
        OTHER_TIERS,
        "--tb=short",
        "-r",
        "f",
    ]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--database-only", *options, *folders],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": postgres.url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-8000:]
    assert " passed" in done.stdout
