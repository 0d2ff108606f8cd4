"""The benchmark runs: few hosts, one round, whatever the figures."""

import subprocess
import sys

import pytest


def bench(*words: str) -> str:
    run = [sys.executable, "-m", "tests.bench.ssh", "--hosts", "4", "--rounds", "1", *words]
    done = subprocess.run(run, check=False, capture_output=True, text=True, timeout=100)
    assert done.returncode in {0, 1}, done.stderr  # 1: a limit was passed, which four hosts may
    return done.stdout


@pytest.mark.sshd
def test_the_transport_is_measured_beside_openssh() -> None:
    printed = bench()
    for mode in ("OpenSSH ControlMaster", "kept", "fresh", "OpenSSH fresh"):
        assert f"\n{mode} " in printed


@pytest.mark.sshd
def test_a_whole_examination_is_measured_beside_openssh() -> None:
    printed = bench("--database", "sqlite")
    for mode in ("OpenSSH ControlMaster", "transport, parse, store", "examination"):
        assert f"\n{mode} " in printed
