"""The hosts the transport's contract is tried on: a script, OpenSSH and the simulator."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from fleet.transport import keys
from fleet.transport.connections import Connections
from fleet.transport.result import Address, Transport
from fleet.transport.ssh import connect
from tests.fleet.simulator import conftest as simulator
from tests.fleet.transport.scripted import Scripted
from tests.parts.sshd import Sshd

KEY_ID, STRANGER_ID = 900_001, 900_002


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """The block ends in time."""
    began = time.monotonic()
    yield
    took = time.monotonic() - began
    assert took <= seconds, f"took {took:.2f} s, not {seconds} s"


@pytest.fixture(scope="session")
def sshd_address(sshd: Sshd) -> Address:
    keys.ring.put(KEY_ID, sshd.private_key)
    keys.ring.put(STRANGER_ID, keys.generate()[0])
    host = sshd.hosts[0]
    return Address(host.address, host.port, host.username, KEY_ID, sshd.host_key)


@pytest.fixture(scope="session")
def simulator_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Address]:
    folder = tmp_path_factory.mktemp("simulator")
    host = simulator.make_folder(folder, nodes=1).hosts[0]
    keys.ring.put(KEY_ID + 10, simulator.PRIVATE)
    keys.ring.put(STRANGER_ID, keys.generate()[0])
    served = simulator.Served(folder).start()
    yield replace(served.address(host.name), key_id=KEY_ID + 10)
    served.stop()


@pytest.fixture(
    params=[
        pytest.param("sshd_address", marks=pytest.mark.sshd, id="openssh"),
        pytest.param("simulator_address", id="simulator"),
    ]
)
def address(request: pytest.FixtureRequest) -> Address:
    """A host that runs real commands."""
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


@pytest.fixture
def transport(address: Address) -> Iterator[Transport]:
    with connect(address, timeout=10) as opened:
        yield opened


@pytest.fixture
def connections() -> Iterator[Connections]:
    kept = Connections()
    yield kept
    kept.close_all()


SCRIPT = {
    ("printf", "%s|", "a b", "$HOME", "it's"): (0, b"a b|$HOME|it's|"),
    ("sh", "-c", "echo out; exit 3"): (3, b"out\n"),
    ("sh", "-c", "echo one; echo two >&2; echo three"): (0, b"one\ntwo\nthree\n"),
    ("sh", "-c", "kill -9 $$"): (137, b""),
    ("printf", r"\377\376"): (0, b"\xff\xfe"),
    ("head", "-c", "70000", "/dev/zero"): (0, bytes(70000)),
    ("cat",): lambda stdin: stdin or b"",
}


@pytest.fixture(params=["scripted", pytest.param("openssh", marks=pytest.mark.sshd), "simulator"])
def pupil(request: pytest.FixtureRequest) -> Iterator[Transport]:
    """Each kind of transport there is, ready for the commands of SCRIPT."""
    if request.param == "scripted":
        yield Scripted(dict(SCRIPT))
        return
    name = {"openssh": "sshd_address", "simulator": "simulator_address"}[request.param]
    with connect(request.getfixturevalue(name), timeout=10) as opened:
        yield opened
