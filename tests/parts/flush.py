"""Lets Django empty the tables between transactional tests although facts are append-only.

PostgreSQL truncates, which row triggers let pass; SQLite deletes, so there the triggers are taken
down for the flush and put up again in the same transaction.
"""

from typing import Any

from django.db.backends.sqlite3.base import DatabaseWrapper

from fleet.changes.triggers import put_up, take_down

_delete_rows = DatabaseWrapper.ops_class.sql_flush


def _sql_flush(self: Any, *args: Any, **kwargs: Any) -> list[str]:
    statements = _delete_rows(self, *args, **kwargs)
    return [*take_down("sqlite"), *statements, *put_up("sqlite")] if statements else []


def allow_flush() -> None:
    """Patch the SQLite backend of this test process."""
    DatabaseWrapper.ops_class.sql_flush = _sql_flush  # type: ignore[method-assign]
