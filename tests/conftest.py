"""Fixtures every test may ask for: factories as functions, and real parts started on demand."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.parts.processes import free_port
from tests.parts.valkey import Valkey

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.parts.dockerd import Dockerd
    from tests.parts.postgres import Postgres
    from tests.parts.sshd import Sshd


def _factory(name: str) -> Any:
    """A fixture that hands out `tests.factories.NAME`, with the database open."""

    @pytest.fixture(name=name)
    def give(db: None) -> Callable[..., Any]:
        from tests import factories

        return getattr(factories, name)  # type: ignore[no-any-return]

    return give


make_provider = _factory("make_provider")
make_region = _factory("make_region")
make_credential = _factory("make_credential")
make_node = _factory("make_node")
make_gpu = _factory("make_gpu")
make_host_key = _factory("make_host_key")
make_customer = _factory("make_customer")
make_user = _factory("make_user")
make_lease = _factory("make_lease")
make_path = _factory("make_path")
make_watch = _factory("make_watch")
make_finding = _factory("make_finding")
make_ticket = _factory("make_ticket")
make_incident = _factory("make_incident")


@pytest.fixture
def port() -> int:
    """A free TCP port of 127.0.0.1."""
    return free_port()


@pytest.fixture
def private_valkey(tmp_path: Path) -> Iterator[Valkey]:
    """A second Valkey, for tests that stop or freeze it."""
    server = Valkey(tmp_path / "valkey").start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Sshd]":
    """A real OpenSSH server that is three hosts. Mark the test `sshd`."""
    from tests.parts.sshd import Sshd

    server = Sshd(tmp_path_factory.mktemp("sshd")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> "Iterator[Postgres]":
    """A private PostgreSQL cluster. Mark the test `postgres`."""
    import shutil
    import tempfile

    from tests.parts.postgres import Postgres

    folder = Path(tempfile.mkdtemp(prefix="halfhour-pg-"))  # short: a unix socket lives in it
    server = Postgres(folder).start()
    yield server
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """Chromium. Mark the test `browser`; make a `browser.new_context()` per person.

    One a module: while it lives, a loop runs in this thread and no other can.
    """
    from tests.parts.chromium import chromium

    # Playwright's sync API runs a loop in the test's thread, where Django refuses the ORM.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    with chromium() as started:
        yield started
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture(scope="session")
def dockerd() -> "Iterator[Dockerd]":
    """A private Docker engine with the image `lease:test`. Mark the test `docker`."""
    import tempfile

    from tests.parts.dockerd import Dockerd

    server = Dockerd(Path(tempfile.mkdtemp(prefix="halfhour-docker-"))).start()
    yield server
    server.stop()


@pytest.fixture(autouse=True, scope="session")
def facts_can_be_flushed() -> None:
    """Between transactional tests Django empties tables that refuse DELETE."""
    from tests.parts.flush import allow_flush

    allow_flush()
