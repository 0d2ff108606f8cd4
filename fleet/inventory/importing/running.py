"""Runs rows through a service in small transactions, for show or for real."""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol, TypeVar

from django.db import transaction

from fleet.changes.errors import Refused
from fleet.inventory.importing.report import Report, RowReport

BATCH = 10  # rows in one transaction: SQLite has one writer, and the examiners wait for it


class Numbered(Protocol):
    """A row with its line in the file and the name people know it by."""

    @property
    def line(self) -> int: ...
    @property
    def name(self) -> str: ...


R = TypeVar("R", bound=Numbered)


def run_rows(
    rows: Sequence[R],
    apply: Callable[[R], RowReport],
    *,
    dry_run: bool,
    all_or_nothing: bool = False,
) -> Report:
    """Apply each row by itself: a refused row is undone and reported, the others stand.

    With `dry_run` every batch is undone. With `all_or_nothing` a dry run goes first, and nothing
    is written unless every row passes it.
    """
    if all_or_nothing and not dry_run:
        rehearsal = run_rows(rows, apply, dry_run=True)
        if not rehearsal.clean:
            return rehearsal
    reports: list[RowReport] = []
    for batch in _batches(rows):
        with transaction.atomic():
            reports += [_one(row, apply) for row in batch]
            transaction.set_rollback(dry_run)
    return Report(reports, dry_run)


def _batches(rows: Sequence[R]) -> Iterator[Sequence[R]]:
    return (rows[start : start + BATCH] for start in range(0, len(rows), BATCH))


def _one(row: R, apply: Callable[[R], RowReport]) -> RowReport:
    try:
        with transaction.atomic():
            return apply(row)
    except Refused as refused:
        notes = [sentence(name, text) for name, text in refused.errors.items()]
        return RowReport(row.line, row.name, "refused", notes)


def sentence(field: str, text: object) -> str:
    """A complaint with the column it is about in front."""
    return str(text) if field == "__all__" else f"{field}: {text}"
