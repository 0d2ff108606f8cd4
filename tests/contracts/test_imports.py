"""Imports point where .importlinter says, and each of its contracts refuses a planted violation."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "tickets", "diagnostics", "fleet")

# contract → (module to spoil, line planted in it)
PLANTED = {
    "arrow": ("fleet/access.py", "import tickets.desk"),
    "diagnostics-subjects": ("diagnostics/findings/states.py", "import diagnostics.examine.states"),
    "tickets-subjects": ("tickets/portal/__init__.py", "import tickets.desk"),
    "fleet-models": ("fleet/people/models.py", "import fleet.leases.models"),
    "fleet-simulator": ("fleet/access.py", "import fleet.simulator"),
    "fleet-transport": ("fleet/transport/result.py", "import fleet.inventory.models"),
    "inside-a-subject": ("diagnostics/findings/states.py", "import diagnostics.findings.models"),
    "pure": ("diagnostics/probes/reading.py", "import socket"),
    "sla-pure": ("tickets/sla/instants.py", "import time"),
    "probing-threads": ("fleet/transport/result.py", "import fleet.inventory.models"),
    "paramiko": ("fleet/transport/result.py", "import paramiko"),
    "asyncssh": ("fleet/transport/result.py", "import asyncssh"),
}


def lint(root: Path, contract: str | None = None) -> subprocess.CompletedProcess[str]:
    only = ["--contract", contract] if contract else []
    program = Path(sys.executable).parent / "lint-imports"
    argv = [str(program), "--no-cache", *only]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The source tree, free to be spoiled."""
    for app in APPS:
        shutil.copytree(ROOT / app, tmp_path / app, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / ".importlinter", tmp_path)
    return tmp_path


def test_imports_point_one_way() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout


def test_every_contract_has_a_planted_violation() -> None:
    text = (ROOT / ".importlinter").read_text(encoding="utf-8")
    contracts = {
        line.strip("[]").split(":")[2] for line in text.splitlines() if ":contract:" in line
    }
    assert contracts == set(PLANTED)


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_import_is_refused(copy: Path, contract: str) -> None:
    module, line = PLANTED[contract]
    with (copy / module).open("a", encoding="utf-8") as source:
        source.write(f"\n{line}\n")
    done = lint(copy, contract)
    assert done.returncode == 1, done.stdout
    assert "BROKEN" in done.stdout
