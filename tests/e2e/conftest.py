"""One running installation for all tests of this folder, with a broker they may break."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.parts.stack import Stack
from tests.parts.valkey import Valkey


@pytest.fixture(scope="package")
def broker() -> Iterator[Valkey]:
    """The stack's Valkey: keeps what it was told, like the embedded one."""
    folder = Path(tempfile.mkdtemp(prefix="halfhour-broker-"))
    server = Valkey(folder, keep=True).start()
    yield server
    server.stop()


@pytest.fixture(scope="package")
def stack(broker: Valkey) -> Iterator[Stack]:
    """`manage.py up --demo`, healthy: every node has been examined once."""
    installation = Stack(Path(tempfile.mkdtemp(prefix="halfhour-stack-")), REDIS_URL=broker.url)
    installation.start(healthy_within=150)
    yield installation
    installation.stop()
    left = installation.processes()
    installation.remove()
    assert not left, f"left behind: {left}"
