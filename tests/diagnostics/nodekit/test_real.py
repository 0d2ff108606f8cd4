"""The kit on real ground: this machine as it is, and a real OpenSSH server."""

import os
import sys
import time
from pathlib import Path

import pytest

from diagnostics.nodekit import kit, parse
from diagnostics.probes import judge
from diagnostics.probes.reading import Expectation, ExpectedGpu, Observation, Verdict
from fleet.transport import keys, ssh
from fleet.transport.result import Address

NVIDIA_PROBES = {
    *("gpu_count", "gpu_state", "xid", "pcie_width", "temperature", "event_reasons"),
    *("power_limit", "driver_loaded", "driver_answers", "driver_versions", "persistence"),
}
CARDS = (ExpectedGpu("GPU-1", "0000:41:00.0"), ExpectedGpu("GPU-2"))
HAS_NVIDIA = Path("/proc/driver/nvidia/version").exists()


@pytest.mark.skipif(HAS_NVIDIA, reason="this machine has NVIDIA's driver")
def test_this_machine_without_any_nvidia_tool_is_never_called_ok(host) -> None:
    path = f"{host.tools}:{os.environ['PATH']}:/usr/bin:/bin"
    for stand_in in host.tools.iterdir():
        if stand_in.name != "python3":
            stand_in.unlink()
    host.environment = {"PATH": path, "HOME": str(host.home)}
    seen = host.visit()
    assert seen.reached == "ok"
    for expected in ((), CARDS):
        judged = judge.judge(seen, Expectation(gpus=expected))
        mine = [reading for reading in judged.readings if reading.probe in NVIDIA_PROBES]
        assert {reading.verdict for reading in mine} <= {Verdict.FAIL, Verdict.UNKNOWN}
        assert judged.verdict is not Verdict.OK
    assert "driver_not_loaded" in {reading.code for reading in judged.readings}


@pytest.mark.sshd
def test_over_openssh_the_library_and_the_command_give_the_same_cards(sshd, nvml, host) -> None:
    far = sshd.hosts[-1]
    host.with_smi()
    host.root.rename(far.root.with_name("nvidia-root"))
    settings = f"HALFHOUR_ROOT={far.root.with_name('nvidia-root')}"
    far.stand_in("python3", f'{settings} exec {sys.executable} "$@"')
    far.stand_in("nvidia-smi", f'exec {sys.executable} {host.tools}/nvidia-smi "$@"')
    through_smi = visit_over_ssh(sshd, far)
    library = f"LD_LIBRARY_PATH={nvml.parent}"
    far.stand_in("python3", f'{settings} {library} exec {sys.executable} "$@"')
    through_nvml = visit_over_ssh(sshd, far)
    assert through_smi.facts["nvidia"]["via"] == "smi"
    assert through_nvml.facts["nvidia"]["via"] == "nvml"
    assert judged_cards(through_nvml) == judged_cards(through_smi)
    assert len(judged_cards(through_nvml)) > 8


def visit_over_ssh(sshd, far) -> Observation:
    keys.ring.put(7001, sshd.private_key)
    address = Address(far.address, far.port, far.username, 7001, sshd.host_key)
    transport = ssh.connect(address, timeout=15)
    try:
        result = transport.run(kit.argv({}), timeout=30)
        if result.status == kit.KIT_MISSING:
            assert kit.install(transport, timeout=20)
            result = transport.run(kit.argv({}), timeout=30)
        return parse.observe(result.output, status=result.status, taken_at=time.time())
    finally:
        transport.close()


def judged_cards(seen: Observation) -> list[object]:
    """Every reading of a card, as it is stored."""
    judged = judge.judge(seen, Expectation())
    return [
        (r.probe, r.target, r.verdict, r.reason, dict(r.values))
        for r in judged.readings
        if r.target.startswith("gpu:")
    ]
