"""Whole hosts: a real shell behind a real SSH server, and nothing left running afterwards."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fleet.transport import keys, ssh
from fleet.transport.result import AuthRefused, TimedOut, TransportError, Unreachable

from .conftest import PRIVATE, Served, make_folder


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


@contextmanager
def leaving(served: Served, command: str, node: str = "sh-r01-n01") -> Iterator[None]:
    """A command that runs for long; its guest leaves, without a word, at the end of the block."""
    transport = served.connect(node)

    def run() -> None:
        with suppress(TransportError):
            transport.run(["sh", "-c", command], timeout=60)

    thread = threading.Thread(target=run)
    thread.start()
    yield
    transport.close()
    thread.join(20)


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
    with leaving(served, "sleep 7713 & sleep 7714"):
        assert wait_for(lambda: processes_with("7713") and processes_with("7714"))
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
    with leaving(served, "nvidia-smi --query-gpu=uuid --format=csv,7715", "sh-r01-n02"):
        assert wait_for(lambda: processes_with("--format=csv,7715"))
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
        kept.run(["touch", "was-here"], timeout=1.5)
    assert not (served.folder / "hosts/sh-r01-n03/home/was-here").exists()
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


@pytest.mark.sshd
def test_openssh_itself_can_log_in(served, tmp_path):
    spec = served.world.host("sh-r01-n01")
    (tmp_path / "key").write_text(PRIVATE)
    (tmp_path / "key").chmod(0o600)
    known = tmp_path / "known_hosts"
    known.write_text(f"[{spec.address}]:{served.world.port} {spec.host_public}\n")
    argv = ["ssh", "-F", "none", "-i", str(tmp_path / "key"), "-p", str(served.world.port)]
    argv += ["-o", f"UserKnownHostsFile={known}", "-o", "BatchMode=yes"]
    argv += [f"halfhour-probe@{spec.address}", "nvidia-smi -L && cat"]
    done = subprocess.run(
        argv, input="said\n", capture_output=True, text=True, timeout=20, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("UUID: GPU-") == 8
    assert done.stdout.endswith("said\n")


def test_two_hundred_whole_hosts_can_be_served(tmp_path):
    made = make_folder(tmp_path, nodes=200)
    running = Served(tmp_path)
    begun = time.process_time()
    running.start()
    spent = time.process_time() - begun
    link = running.connect(made.hosts[-1].name)
    assert link.run(["hostname"], timeout=10).output.decode().strip() == made.hosts[-1].name
    link.close()
    running.stop()
    assert spent < 6
