"""Who we talk to, and as whom: pinned host keys, logins, jump hosts, forks."""

import logging
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from fleet.transport import keys
from fleet.transport.result import Address, AuthRefused, HostKeyChanged, Unreachable
from fleet.transport.ssh import connect, scan_host_key
from tests.fleet.transport.conftest import KEY_ID, STRANGER_ID, at_most
from tests.fleet.transport.hosts import forked, listening, silent
from tests.parts.sshd import Sshd

OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPz4Zb0pCjBHyzpfl9Q2TWKYgnyEUYUGd2mP8u1j9F0E"


def test_a_scan_shows_the_host_key_without_a_login(address: Address) -> None:
    assert scan_host_key(address.host, address.port, timeout=5) == address.host_key


def test_a_changed_host_key_is_refused_before_any_login(address: Address) -> None:
    with pytest.raises(HostKeyChanged) as caught:
        connect(replace(address, host_key=OTHER_KEY, key_id=STRANGER_ID), timeout=5)
    assert caught.value.offered == address.host_key


def test_without_a_pinned_host_key_nobody_is_trusted(address: Address) -> None:
    with pytest.raises(HostKeyChanged, match="no host key is pinned") as caught:
        connect(replace(address, host_key=""), timeout=5)
    assert caught.value.offered == address.host_key


def test_a_comment_behind_the_pinned_key_does_no_harm(address: Address) -> None:
    with connect(replace(address, host_key=f"{address.host_key} root@node"), timeout=5) as opened:
        assert opened.run(["true"], timeout=5).status == 0


def test_a_strange_key_is_refused_as_such(address: Address) -> None:
    with pytest.raises(AuthRefused) as caught:
        connect(replace(address, key_id=STRANGER_ID), timeout=5)
    assert caught.value.stage == "auth"


def test_a_private_key_nobody_put_into_the_ring_is_a_refusal(address: Address) -> None:
    with pytest.raises(AuthRefused, match="no private key 4711"):
        connect(replace(address, key_id=4711), timeout=5)


def test_an_unreadable_private_key_is_told_without_its_text(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    keys.ring.put(4712, "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0c2VjcmV0\n-----END\n")
    with caplog.at_level(logging.DEBUG), pytest.raises(AuthRefused) as caught:
        connect(replace(address, key_id=4712), timeout=5)
    assert "c2VjcmV0" not in f"{caught.value} {caught.value.__cause__} {caplog.text}"


def test_failures_are_raised_and_not_logged_by_the_library(
    address: Address, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(AuthRefused):
        connect(replace(address, key_id=STRANGER_ID), timeout=5)
    assert not [record for record in caplog.records if record.name.startswith("paramiko")]


@pytest.mark.sshd
@pytest.mark.parametrize(("kind", "bits"), [("rsa", "3072"), ("ecdsa", "256")])
def test_other_kinds_of_host_and_login_keys_work(tmp_path: Path, kind: str, bits: str) -> None:
    server = Sshd(tmp_path / "server", hosts=1)
    for name in ("host", "client"):
        path = server.folder / "keys" / name
        path.unlink()
        make = ["ssh-keygen", "-q", "-t", kind, "-b", bits, "-N", "", "-f", path]
        subprocess.run(make, input=b"y\n", check=True, capture_output=True)
    keys.ring.put(KEY_ID + 40, server.private_key)
    host = server.start().hosts[0]
    address = Address(host.address, host.port, host.username, KEY_ID + 40, server.host_key)
    with connect(address, timeout=10) as opened:
        assert opened.run(["echo", kind], timeout=5).output == f"{kind}\n".encode()
    server.stop()


@pytest.mark.sshd
def test_a_server_with_several_keys_shows_the_pinned_one(tmp_path: Path) -> None:
    server = Sshd(tmp_path / "server", hosts=1)
    rsa = server.folder / "keys" / "rsa"
    subprocess.run(["ssh-keygen", "-q", "-t", "rsa", "-N", "", "-f", rsa], check=True)
    with (server.folder / "sshd_config").open("r+") as config:
        text = config.read()
        config.seek(0)
        config.write(f"HostKey {rsa}\n{text}")
    keys.ring.put(KEY_ID + 41, server.private_key)
    host = server.start().hosts[0]
    pinned = " ".join(rsa.with_suffix(".pub").read_text().split()[:2])
    for host_key in (pinned, server.host_key):
        address = Address(host.address, host.port, host.username, KEY_ID + 41, host_key)
        with connect(address, timeout=10) as opened:
            assert opened.run(["true"], timeout=5).status == 0
    server.stop()


@pytest.fixture(params=[pytest.param("sshd_address", marks=pytest.mark.sshd)])
def bastion(request: pytest.FixtureRequest) -> Address:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


def test_a_node_behind_a_jump_host_is_reached_through_it(
    bastion: Address, simulator_address: Address
) -> None:
    with connect(replace(simulator_address, jump=bastion), timeout=10) as opened:
        assert opened.run(["echo", "far"], timeout=5).output == b"far\n"
        assert opened.run(["echo", "again"], timeout=5).output == b"again\n"


def test_a_jump_hosts_wrong_key_is_not_the_nodes(
    bastion: Address, simulator_address: Address
) -> None:
    wrong = replace(bastion, host_key=OTHER_KEY)
    with pytest.raises(Unreachable, match="jump host") as caught:
        connect(replace(simulator_address, jump=wrong), timeout=5)
    assert caught.value.stage == "jump"


def test_the_node_behind_a_jump_host_is_held_to_its_own_key(
    bastion: Address, simulator_address: Address
) -> None:
    with pytest.raises(HostKeyChanged) as caught:
        connect(replace(simulator_address, jump=bastion, host_key=OTHER_KEY), timeout=5)
    assert caught.value.offered == simulator_address.host_key


def test_a_node_that_is_down_behind_a_jump_host_is_unreachable(
    bastion: Address, simulator_address: Address, port: int
) -> None:
    with at_most(3), pytest.raises(Unreachable) as caught:
        connect(replace(simulator_address, port=port, jump=bastion), timeout=5)
    assert caught.value.stage == "tcp"


def test_a_node_that_is_silent_behind_a_jump_host_ends_in_time(
    bastion: Address, simulator_address: Address
) -> None:
    with listening(silent) as port, at_most(2.5), pytest.raises(Unreachable) as caught:
        connect(replace(simulator_address, host="127.0.0.1", port=port, jump=bastion), timeout=1.5)
    assert caught.value.stage == "banner"


def test_closing_ends_the_reading_thread_and_the_descriptor(address: Address) -> None:
    before = set(threading.enumerate())
    opened = connect(address, timeout=5)
    (reader,) = (
        thread
        for thread in set(threading.enumerate()) - before
        if thread.name.startswith("Thread-") and type(thread) is not threading.Thread
    )
    opened.close()
    reader.join(1)
    assert not reader.is_alive()
    assert opened._wire.root.fileno() == -1


def test_a_forked_child_cannot_write_into_its_parents_session(address: Address) -> None:
    with connect(address, timeout=5) as opened:
        assert opened.run(["true"], timeout=5).status == 0

        def write() -> int:
            with pytest.raises(Unreachable):
                opened.run(["true"], timeout=2)
            return 7

        assert forked(write) == 7
        assert opened.run(["echo", "still mine"], timeout=5).output == b"still mine\n"
