"""Lines 3, 4, 6 and 7: what the tests, the benchmark and the contracts say."""

import re
import subprocess
import sys
from pathlib import Path

from tests.show.proof import Proof, say

PYTHON = sys.executable
BIN = Path(sys.executable).parent
PACKAGES = ("chromium", "openssh-server", "docker.io", "shellcheck", "busybox-static", "gettext")
MOST_S = 15 * 60


def suite(proof: Proof, *, remove: bool = False) -> None:
    """`make test` on a machine without what the tests need, with every tier required."""
    if remove:
        argv = ["apt-get", "remove", "-y", "-q", *PACKAGES]
        subprocess.run(argv, check=True, capture_output=True)
    missing = [name for name in PACKAGES if not _installed(name)]
    say(f"    missing before: {', '.join(missing) or 'nothing'}")
    output = proof.command(["make", "test", "ARGS=--require-tiers --durations=30"], "make test")
    tiers = re.findall(r"^(\w+) +(\d+) tests ran$", output, re.MULTILINE)
    proof.check(
        len(tiers) == 5 and all(int(count) for _, count in tiers),
        "tiers: " + ", ".join(f"{tier} {count}" for tier, count in tiers),
    )
    found = re.search(r"passed.* in ([\d.]+)s", output)
    seconds = float(found[1]) if found else MOST_S + 1
    proof.check(seconds <= MOST_S, f"{seconds / 60:.1f} min (≤ 15)")


def _installed(package: str) -> bool:
    argv = ["dpkg-query", "-W", "-f", "${Status}", package]
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    return done.stdout == "install ok installed"


def honest_host(proof: Proof) -> None:
    """A real sshd without NVIDIA, the C stub of libnvidia-ml, and the table of broken sections."""
    tests = [PYTHON, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider"]
    proof.command(
        [*tests, "-m", "sshd", "tests/diagnostics"], "real OpenSSH host, stub of libnvidia-ml"
    )
    proof.command([*tests, "tests/diagnostics/probes"], "all probes × broken sections")


def costs(proof: Proof) -> None:
    output = proof.command(["make", "bench", "ARGS="], "make bench")
    for line in output.splitlines():
        if "limit" in line:
            proof.check("OVER" not in line, " ".join(line.split()))


def contracts(proof: Proof) -> None:
    proof.command(["make", "lint"], "ruff, import-linter, shellcheck")
    proof.command(["make", "types"], "mypy --strict")
    proof.command(
        [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/contracts"],
        "makemigrations --check, check --deploy, planted violations",
    )
