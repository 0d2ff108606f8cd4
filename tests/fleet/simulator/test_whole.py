"""Whole hosts: a real shell behind a real SSH server, and nothing left running afterwards."""

import os
import time
from pathlib import Path

import pytest

from fleet.transport import keys, ssh
from fleet.transport.result import AuthRefused, TimedOut, TransportError, Unreachable

from .conftest import Served


def sh(served: Served, command: str, node: str = "sh-r01-n01", **more: object) -> tuple[int, str]:
    transport = served.connect(node)
    try:
        done = transport.run(["sh", "-c", command], timeout=15, **more)  # type: ignore[arg-type]
        return done.status or 0, done.output.decode()
    finally:
        transport.close()


def processes_with(word: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if word.encode() in words:
            found.append(int(entry.name))
    return found


def wait_for(condition: object, seconds: float = 5.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_commands_run_in_a_real_shell_with_the_hosts_own_path_home_and_root(served):
    status, out = sh(
        served, 'f() { echo "$1"; }; f $((6*7)); pwd; cat $HALFHOUR_ROOT/proc/sys/kernel/hostname'
    )
    assert status == 0
    answer, home, name = out.split()
    assert answer == "42"
    assert home == str(served.folder / "hosts" / "sh-r01-n01" / "home")
    assert name == "sh-r01-n01"


def test_every_host_answers_for_itself(served):
    assert sh(served, "hostname", "sh-r01-n02")[1] == "sh-r01-n02\n"
    assert sh(served, "hostname", "sh-r01-n03")[1] == "sh-r01-n03\n"


def test_a_file_is_uploaded_through_the_shells_input(served):
    data = os.urandom(300_000)
    assert sh(served, "mkdir -p kit && cat > kit/file", stdin=data)[0] == 0
    assert (served.folder / "hosts/sh-r01-n01/home/kit/file").read_bytes() == data


def test_exit_status_and_both_streams_come_back(served):
    status, out = sh(served, "echo one; echo two >&2; exit 41")
    assert status == 41
    assert sorted(out.split()) == ["one", "two"]


def test_a_tool_the_host_lacks_is_really_missing(served):
    status, _out = sh(served, "ipmitool sel list")
    assert status == 127


def test_a_large_output_arrives_whole(served):
    assert len(sh(served, "head -c 900000 /dev/zero")[1]) == 900_000


def test_what_still_runs_ends_when_the_guest_leaves(served):
    transport = served.connect()
    with pytest.raises(TimedOut):
        transport.run(["sh", "-c", "sleep 7713 & sleep 7714"], timeout=0.8)
    transport.close()
    assert wait_for(lambda: not processes_with("7713") and not processes_with("7714"))


def test_a_hung_driver_hangs_until_its_caller_is_killed(served):
    served.simulator.fleet.states["sh-r01-n02"].faults.clear()
    done = _order(served, "inject", "sh-r01-n02", "driver_hung")
    assert done["code"] == "driver_hung"
    begun = time.monotonic()
    status, _out = sh(served, "timeout -s KILL 1.5 nvidia-smi -L; echo $?", "sh-r01-n02")
    assert status == 0
    assert time.monotonic() - begun > 1.4
    _order(served, "clear", "sh-r01-n02")
    assert sh(served, "nvidia-smi -L", "sh-r01-n02")[0] == 0


def test_a_hung_tool_leaves_no_process_when_the_guest_hangs_up(served):
    _order(served, "inject", "sh-r01-n02", "driver_hung")
    transport = served.connect("sh-r01-n02")
    with pytest.raises(TimedOut):
        transport.run(["sh", "-c", "nvidia-smi --query-gpu=uuid --format=csv,7715"], timeout=0.8)
    transport.close()
    assert wait_for(lambda: not processes_with("--format=csv,7715"))
    _order(served, "clear", "sh-r01-n02")


def test_strangers_and_unknown_users_are_refused(served):
    keys.ring.put(7702, keys.generate()[0])
    with pytest.raises(AuthRefused):
        ssh.connect(served.address("sh-r01-n01", key_id=7702), timeout=10)
    with pytest.raises(AuthRefused):
        ssh.connect(served.address("sh-r01-n01", username="root"), timeout=10)


def test_an_unreachable_node_drops_new_and_kept_connections_alike(served):
    kept = served.connect("sh-r01-n03")
    assert kept.run(["true"], timeout=5).status == 0
    _order(served, "inject", "sh-r01-n03", "node_unreachable")
    with pytest.raises(TimedOut):
        kept.run(["true"], timeout=1.5)
    with pytest.raises((Unreachable, TimedOut)):
        served.connect("sh-r01-n03", timeout=1.5)
    _order(served, "clear", "sh-r01-n03")
    assert sh(served, "echo back", "sh-r01-n03")[1] == "back\n"
    with pytest.raises(TransportError):
        kept.run(["true"], timeout=3)


def test_a_restart_resets_connections_and_starts_a_new_boot(served):
    look = "cat $HALFHOUR_ROOT/proc/sys/kernel/random/boot_id $HALFHOUR_ROOT/proc/uptime"
    before = sh(served, look, "sh-r01-n04")[1].split()
    kept = served.connect("sh-r01-n04")
    _order(served, "inject", "sh-r01-n04", "driver_mismatch")
    _order(served, "clear", "sh-r01-n04")
    with pytest.raises(TransportError):
        kept.run(["true"], timeout=3)
    after = sh(served, look, "sh-r01-n04")[1].split()
    assert before[0] != after[0]
    assert float(before[1]) > 86400
    assert float(after[1]) < 300


def test_the_shipped_probe_runs_unmodified(served):
    from diagnostics.nodekit import kit

    transport = served.connect()
    assert transport.run(kit.argv({}), timeout=30).status == kit.KIT_MISSING
    assert kit.install(transport, timeout=30)
    done = transport.run(kit.argv({}), timeout=30)
    transport.close()
    assert done.status == 0
    assert done.output.startswith(b"=== halfhour-probe 1 boot=")
    assert done.output.endswith(b"=== end\n")
    for section in (b"nvidia", b"gpus", b"pci", b"kernel", b"containers", b"sockets", b"disks"):
        assert b"--- %s state=ok" % section in done.output


def _order(served: Served, act: str, *words: str) -> dict[str, object]:
    from fleet.simulator.control import Client

    return getattr(Client(served.folder / "control.sock"), act)(*words)  # type: ignore[no-any-return]
