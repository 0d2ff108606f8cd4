"""Opens a real database and a real broker for this process, before Django reads its settings."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from cryptography.fernet import Fernet

from tests.parts.postgres import Postgres
from tests.parts.valkey import Valkey

KINDS = ("sqlite", "postgres")


@contextmanager
def opened(kind: str) -> Iterator[None]:
    """A migrated database of this kind; one process can open only one."""
    with ExitStack() as stack:
        folder = _folder(stack)
        valkey = Valkey(folder / "valkey").start()
        stack.callback(valkey.stop)
        url = f"sqlite:///{folder / 'bench.sqlite3'}"
        if kind == "postgres":
            server = Postgres(_folder(stack)).start()
            stack.callback(server.stop)
            url = server.url
        _set_up(folder, url, valkey.url)
        yield
        from django.db import connections

        connections.close_all()


def _folder(stack: ExitStack) -> Path:
    """A folder of its own, because the server inside may run as another user."""
    folder = Path(tempfile.mkdtemp(prefix="hh-bench-"))
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _set_up(folder: Path, database: str, broker: str) -> None:
    os.environ.update(
        SECRET_KEY="bench",
        HALFHOUR_KEYS=Fernet.generate_key().decode(),
        HALFHOUR_DATA=str(folder),
        HALFHOUR_EXAMINERS="1",
        REDIS_URL=broker,
        DATABASE_URL=database,
        DJANGO_SETTINGS_MODULE="config.settings",
    )
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
