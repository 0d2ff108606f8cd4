"""Kept connections: opened once, dropped on any error, never a command run twice."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.transport import keys
from fleet.transport.connections import Connections
from fleet.transport.result import Address, OutputTooLarge, TimedOut, Unreachable
from tests.fleet.transport.conftest import KEY_ID, at_most
from tests.fleet.transport.hosts import descendants, forked, listening, silent
from tests.parts.processes import wait_until
from tests.parts.sshd import Sshd

# The server's view of which connection a command came over.
WHERE = ["sh", "-c", "echo $SSH_CONNECTION"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sshd]:
    """Five hosts of our own, to kill and to freeze."""
    own = Sshd(tmp_path_factory.mktemp("kept"), hosts=5).start()
    keys.ring.put(KEY_ID + 50, own.private_key)
    yield own
    own.stop()


@pytest.fixture
def hosts(server: Sshd) -> list[Address]:
    return [
        Address(host.address, host.port, host.username, KEY_ID + 50, server.host_key)
        for host in server.hosts
    ]


def where(connections: Connections, address: Address, timeout: float = 5) -> bytes:
    return connections.run(address, WHERE, timeout=timeout).output


pytestmark = pytest.mark.sshd


def test_the_second_run_uses_the_first_ones_connection(
    connections: Connections, hosts: list[Address]
) -> None:
    assert where(connections, hosts[0]) == where(connections, hosts[0])
    assert len(connections) == 1


def test_a_failing_command_keeps_the_connection(
    connections: Connections, hosts: list[Address]
) -> None:
    first = where(connections, hosts[0])
    assert connections.run(hosts[0], ["false"], timeout=5).status == 1
    assert where(connections, hosts[0]) == first


def test_many_threads_open_an_address_once(connections: Connections, hosts: list[Address]) -> None:
    with ThreadPoolExecutor(8) as pool:
        seen = set(pool.map(lambda _: where(connections, hosts[1]), range(16)))
    assert len(seen) == 1
    assert len(connections) == 1


def test_commands_of_several_threads_run_side_by_side(
    connections: Connections, hosts: list[Address]
) -> None:
    where(connections, hosts[0])
    with at_most(2.5), ThreadPoolExecutor(4) as pool:
        pause = ["sh", "-c", "sleep 1; echo done"]
        ended = pool.map(lambda _: connections.run(hosts[0], pause, timeout=10), range(4))
        assert [result.output for result in ended] == [b"done\n"] * 4


def test_a_connection_the_server_ended_is_replaced_unnoticed(
    connections: Connections, hosts: list[Address], server: Sshd
) -> None:
    first = where(connections, hosts[0])
    for pid in descendants(server._process.pid):
        os.kill(pid, signal.SIGKILL)
    second = where(connections, hosts[0])
    assert second
    assert second != first


def test_a_half_dead_connection_is_replaced_within_the_same_run(
    connections: Connections, hosts: list[Address], server: Sshd
) -> None:
    first = where(connections, hosts[0])
    stopped = descendants(server._process.pid)
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        with at_most(4):
            assert where(connections, hosts[0], timeout=4) not in {b"", first}
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


def test_a_command_that_may_have_started_is_never_run_again(
    connections: Connections, hosts: list[Address], server: Sshd, tmp_path: Path
) -> None:
    where(connections, hosts[0])
    journal = tmp_path / "journal"
    act = ["sh", "-c", f"echo acted >> {journal}; sleep 9"]

    def kill_sessions() -> None:
        wait_until(journal.exists, seconds=5, what="the command has begun")
        for pid in descendants(server._process.pid):
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_sessions)
    killer.start()
    with at_most(6), pytest.raises(Unreachable):
        connections.run(hosts[0], act, timeout=8)
    killer.join()
    assert journal.read_text() == "acted\n"


def test_a_run_that_times_out_drops_its_connection(
    connections: Connections, hosts: list[Address]
) -> None:
    first = where(connections, hosts[0])
    with pytest.raises(TimedOut):
        connections.run(hosts[0], ["sleep", "20"], timeout=0.5)
    assert len(connections) == 0
    assert where(connections, hosts[0]) != first


def test_a_dropped_connection_lets_other_threads_finish_on_it(
    connections: Connections, hosts: list[Address]
) -> None:
    where(connections, hosts[0])
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(connections.run, hosts[0], ["sh", "-c", "sleep 1; echo ok"], timeout=9)
        time.sleep(0.2)
        with pytest.raises(OutputTooLarge):
            connections.run(hosts[0], ["head", "-c", "90000", "/dev/zero"], timeout=5, cap=10)
        assert other.result(5).output == b"ok\n"


def test_a_host_that_cannot_be_reached_leaves_nothing_behind(
    connections: Connections, hosts: list[Address], port: int
) -> None:
    with pytest.raises(Unreachable):
        where(connections, replace(hosts[0], port=port))
    assert len(connections) == 0
    assert not connections._slots


def test_waiting_for_another_threads_connecting_is_bounded(
    connections: Connections, hosts: list[Address]
) -> None:
    with listening(silent) as port, ThreadPoolExecutor(2) as pool:
        stuck = replace(hosts[0], host="127.0.0.1", port=port)
        first = pool.submit(where, connections, stuck, 3)
        time.sleep(0.2)
        with at_most(2), pytest.raises(TimedOut):
            where(connections, stuck, 1)
        assert isinstance(first.exception(), Unreachable)


def test_over_the_limit_the_least_recently_used_connection_is_closed(
    hosts: list[Address],
) -> None:
    few = Connections(limit=2)
    first, second = where(few, hosts[0]), where(few, hosts[1])
    where(few, hosts[0])
    where(few, hosts[2])
    assert len(few) == 2
    assert where(few, hosts[0]) == first
    assert where(few, hosts[1]) != second
    few.close_all()
    assert len(few) == 0


def test_addresses_that_differ_only_in_the_pinned_key_share_nothing(
    connections: Connections, hosts: list[Address]
) -> None:
    where(connections, hosts[0])
    with pytest.raises(Exception, match="not the pinned host key"):
        where(connections, replace(hosts[0], host_key="ssh-ed25519 AAAA"))
    assert len(connections) == 1


def test_a_forked_child_opens_its_own_and_leaves_its_parents_alone(
    connections: Connections, hosts: list[Address]
) -> None:
    mine = where(connections, hosts[0])
    reading, writing = os.pipe()

    def ask() -> int:
        return 0 if os.write(writing, where(connections, hosts[0])) else 1

    assert forked(ask) == 0
    theirs = os.read(reading, 4096)
    os.close(writing)
    os.close(reading)
    assert theirs
    assert theirs != mine
    assert where(connections, hosts[0]) == mine


def test_a_fork_while_another_thread_holds_the_locks_does_not_freeze_the_child(
    connections: Connections, hosts: list[Address]
) -> None:
    where(connections, hosts[0])
    with connections._lock, connections._slots[hosts[0]].opening:
        assert forked(lambda: 0 if where(connections, hosts[0]) else 1) == 0
