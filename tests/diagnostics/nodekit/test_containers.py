"""Real containers, read straight from Docker and through our root-owned wrapper."""

import os
import subprocess
from pathlib import Path

import pytest

from diagnostics.nodekit import halfhour_probe
from tests.parts.processes import free_port

WRAPPER = Path(__file__).parents[3] / "diagnostics/nodekit/wrappers/halfhour-ports"

pytestmark = pytest.mark.docker


def ports(dockerd, argument: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DOCKER_HOST": dockerd.host}
    return subprocess.run(
        [str(WRAPPER), argument], env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def lease(dockerd):
    name, port = "lease-kit", free_port()
    dockerd.run_lease(name, port, "ssh-ed25519 AAAAsecret customer")
    yield name, port
    dockerd.docker("rm", "-f", name)


def test_both_ways_tell_the_same_and_the_wrapper_tells_no_secret(dockerd, lease, host) -> None:
    name, port = lease
    told = ports(dockerd, "--containers")
    assert told.returncode == 0, told.stderr
    assert "AAAAsecret" not in told.stdout
    through_wrapper = halfhour_probe._container_rows(told.stdout)
    host.tool("docker", f'exec {subprocess.getoutput("command -v docker")} -H {dockerd.host} "$@"')
    direct = host.visit().facts["containers"]
    mine = next(row for row in direct if row["name"] == name)
    assert mine["state"] == "running"
    assert mine["ports"] == [{"ip": "127.0.0.1", "host": port, "inside": 22}]
    kept = next(row for row in through_wrapper.payload if row["name"] == name)
    assert kept["ports"] == [["127.0.0.1", port, 22]]
    assert {n: kept[n] for n in ("id", "state", "exit_code", "oom")} == {
        n: mine[n] for n in ("id", "state", "exit_code", "oom")
    }


def test_a_stopped_container_is_told_with_its_exit_code(dockerd, lease) -> None:
    name, port = lease
    dockerd.docker("kill", name)
    rows = halfhour_probe._container_rows(ports(dockerd, "--containers").stdout).payload
    mine = next(row for row in rows if row["name"] == name)
    assert (mine["state"], mine["exit_code"]) == ("exited", 137)
    assert mine["ports"] == []
    assert mine["bound"] == [["127.0.0.1", port, 22]]


def test_the_container_behind_a_port_is_named(dockerd, lease) -> None:
    name, port = lease
    assert name in ports(dockerd, str(port)).stdout


def test_a_removed_container_is_told_no_longer(dockerd) -> None:
    told = ports(dockerd, "--containers")
    assert told.returncode == 0
    rows = halfhour_probe._container_rows(told.stdout).payload
    assert "lease-kit" not in [row["name"] for row in rows]
