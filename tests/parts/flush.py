"""Lets Django empty the tables between transactional tests although facts are append-only.

PostgreSQL truncates, which row triggers let pass; SQLite deletes, so there every trigger is taken
down for the flush and put up again, as the database wrote it down, in the same transaction.
"""

from typing import Any

from django.db.backends.sqlite3.base import DatabaseWrapper

_delete_rows = DatabaseWrapper.ops_class.sql_flush


def _sql_flush(self: Any, *args: Any, **kwargs: Any) -> list[str]:
    statements = _delete_rows(self, *args, **kwargs)
    if not statements:
        return []
    with self.connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
    down = [f"DROP TRIGGER {name}" for name, _sql in triggers]
    return [*down, *statements, *(sql for _name, sql in triggers)]


def allow_flush() -> None:
    """Patch the SQLite backend of this test process."""
    DatabaseWrapper.ops_class.sql_flush = _sql_flush  # type: ignore[method-assign]
