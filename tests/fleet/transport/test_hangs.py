"""Every way a host can hang ends within its deadline plus a second, on a real server each."""

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from fleet.transport import keys
from fleet.transport.deadline import Deadline
from fleet.transport.result import (
    Address,
    OutputTooLarge,
    TimedOut,
    Transport,
    Unreachable,
)
from fleet.transport.ssh import connect, scan_host_key
from tests.fleet.transport.conftest import KEY_ID, at_most
from tests.fleet.transport.hosts import (
    DeafHost,
    Talk,
    banner_only,
    descendants,
    dripping_banner,
    full_backlog,
    listening,
    not_ssh,
    running,
    silent,
)
from tests.parts.processes import wait_until
from tests.parts.sshd import Sshd

DEADLINE_S = 1.5
PINNED = "ssh-ed25519 AAAA"


def nobody(port: int) -> Address:
    return Address("127.0.0.1", port, "halfhour-probe", KEY_ID, PINNED)


@pytest.fixture(scope="module")
def freezable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """An sshd of our own, to stop and to kill."""
    server = Sshd(tmp_path_factory.mktemp("freezable"), hosts=1).start()
    keys.ring.put(KEY_ID + 20, server.private_key)
    yield server
    server.stop()


@pytest.fixture
def freezable_address(freezable: Sshd) -> Address:
    host = freezable.hosts[0]
    return Address(host.address, host.port, host.username, KEY_ID + 20, freezable.host_key)


@contextmanager
def frozen(server: Sshd) -> Iterator[None]:
    """All of the server's processes stand still."""
    pids = [server._process.pid, *descendants(server._process.pid)]
    try:
        for pid in pids:
            _tell(pid, signal.SIGSTOP)
        yield
    finally:
        for pid in pids:
            _tell(pid, signal.SIGCONT)


def _tell(pid: int, number: signal.Signals) -> None:
    """sshd's helpers of a login come and go; one that has gone needs no telling."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def test_a_dropped_connection_attempt_is_unreachable_in_time() -> None:
    with full_backlog() as port, at_most(DEADLINE_S + 1), pytest.raises(Unreachable) as caught:
        connect(nobody(port), timeout=DEADLINE_S)
    assert caught.value.stage == "tcp"


def test_a_refused_connection_is_told_apart_from_a_dropped_one(port: int) -> None:
    with at_most(1), pytest.raises(Unreachable, match="refused") as caught:
        connect(nobody(port), timeout=DEADLINE_S)
    assert caught.value.stage == "tcp"


def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    address = Address("no-such-host.invalid", 22, "halfhour-probe", KEY_ID, PINNED)
    with at_most(DEADLINE_S + 1), pytest.raises(Unreachable) as caught:
        connect(address, timeout=DEADLINE_S)
    assert caught.value.stage == "resolve"


@pytest.mark.parametrize("talk", [silent, dripping_banner])
def test_a_server_without_a_banner_in_time_is_unreachable(talk: Talk) -> None:
    with listening(talk) as port, at_most(DEADLINE_S + 1), pytest.raises(Unreachable) as caught:
        connect(nobody(port), timeout=DEADLINE_S)
    assert caught.value.stage == "banner"


def test_something_else_on_the_port_is_no_ssh() -> None:
    with listening(not_ssh) as port, at_most(1), pytest.raises(Unreachable, match="no SSH"):
        connect(nobody(port), timeout=DEADLINE_S)


def test_a_stalled_key_exchange_times_out() -> None:
    with listening(banner_only) as port, at_most(DEADLINE_S + 1), pytest.raises(TimedOut) as caught:
        connect(nobody(port), timeout=DEADLINE_S)
    assert caught.value.stage == "kex"


def test_a_scan_for_a_host_key_is_bounded_too() -> None:
    with listening(silent) as port, at_most(DEADLINE_S + 1), pytest.raises(Unreachable):
        scan_host_key("127.0.0.1", port, timeout=DEADLINE_S)


def test_a_server_that_never_opens_the_channel_times_out() -> None:
    private, public = keys.generate()
    keys.ring.put(KEY_ID + 30, private)
    host = DeafHost(public)
    address = Address("127.0.0.1", host.port, "halfhour-probe", KEY_ID + 30, host.host_key)
    with connect(address, timeout=5) as opened:
        with at_most(DEADLINE_S + 1), pytest.raises(TimedOut) as caught:
            opened.run(["true"], timeout=DEADLINE_S)
        assert caught.value.stage == "channel"
    host.stop()


@pytest.mark.sshd
def test_a_server_that_freezes_after_the_login_times_out(
    freezable: Sshd, freezable_address: Address
) -> None:
    with connect(freezable_address, timeout=5) as opened, frozen(freezable):
        with at_most(DEADLINE_S + 1), pytest.raises(TimedOut) as caught:
            opened.run(["true"], timeout=DEADLINE_S)
        assert caught.value.stage == "channel"


@pytest.mark.sshd
def test_a_server_that_freezes_before_it_answers_exec_times_out(
    freezable: Sshd, freezable_address: Address
) -> None:
    with connect(freezable_address, timeout=5) as opened:
        session = opened.open(Deadline(5))
        with frozen(freezable), at_most(DEADLINE_S + 1), pytest.raises(TimedOut) as caught:
            session.run(["true"], Deadline(DEADLINE_S))
        assert caught.value.stage == "command"


@pytest.mark.sshd
def test_a_server_that_freezes_while_it_is_fed_times_out(
    freezable: Sshd, freezable_address: Address
) -> None:
    with connect(freezable_address, timeout=5) as opened:
        session = opened.open(Deadline(5))
        with frozen(freezable), at_most(DEADLINE_S + 1), pytest.raises(TimedOut):
            session.run(["cat"], Deadline(DEADLINE_S), stdin=bytes(30_000_000))


def test_a_command_that_drips_output_times_out_with_what_it_gave(transport: Transport) -> None:
    drip = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do echo $i; sleep 0.5; done"]
    with at_most(DEADLINE_S + 1), pytest.raises(TimedOut) as caught:
        transport.run(drip, timeout=DEADLINE_S)
    assert caught.value.partial.startswith(b"1\n2\n")


def test_a_command_that_closes_its_output_and_runs_on_times_out(transport: Transport) -> None:
    with at_most(DEADLINE_S + 1), pytest.raises(TimedOut):
        transport.run(["sh", "-c", "exec >&- 2>&-; sleep 60"], timeout=DEADLINE_S)


def test_three_megabytes_on_stderr_do_not_block(transport: Transport) -> None:
    loud = ["sh", "-c", "head -c 3000000 /dev/zero >&2; echo done"]
    result = transport.run(loud, timeout=20, cap=4 << 20)
    assert result.output.endswith(b"done\n")
    assert len(result.output) == 3_000_005


def test_feeding_and_reading_megabytes_at_once_does_not_block(transport: Transport) -> None:
    sent = os.urandom(3_000_000)
    assert transport.run(["cat"], timeout=20, stdin=sent, cap=4 << 20).output == sent


def test_a_command_that_does_not_read_its_stdin_is_no_error(transport: Transport) -> None:
    assert transport.run(["true"], timeout=20, stdin=bytes(5_000_000)).status == 0


def test_endless_output_is_cut_off_and_stays_out_of_memory(transport: Transport) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with at_most(10), pytest.raises(OutputTooLarge) as caught:
        transport.run(["yes"], timeout=20)
    assert len(caught.value.partial) == 1 << 20
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000  # KiB


def test_nothing_is_left_running_on_the_host_after_the_deadline(address: Address) -> None:
    with connect(address, timeout=5) as opened, pytest.raises(TimedOut):
        opened.run(["sh", "-c", "sleep 97.53; true"], timeout=1)
    wait_until(lambda: not running("sleep 97.53"), seconds=3, what="the command's end")


@pytest.mark.sshd
def test_a_server_killed_in_mid_command_is_unreachable_at_once(
    freezable: Sshd, freezable_address: Address, tmp_path: Path
) -> None:
    started = tmp_path / "started"
    with connect(freezable_address, timeout=5) as opened:
        session = opened.open(Deadline(5))
        signal.signal(signal.SIGALRM, lambda *_: [os.kill(pid, 9) for pid in sessions(freezable)])
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with at_most(2), pytest.raises(Unreachable) as caught:
            session.run(["sh", "-c", f"echo begun; touch {started}; sleep 30"], Deadline(10))
    assert started.exists()
    assert caught.value.partial == b"begun\n"
    assert caught.value.stage == "command"


def sessions(server: Sshd) -> list[int]:
    """The processes of this server's logged-in sessions and their commands."""
    return descendants(server._process.pid)
