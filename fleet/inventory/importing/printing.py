"""Prints an import's report for a terminal."""

from collections.abc import Iterator

from fleet.inventory.importing.report import Report


def lines_of(report: Report) -> Iterator[str]:
    """One line per row, then the sum."""
    for row in report.rows:
        head = f"{row.line:>6}  {row.outcome:<9}  {row.name}"
        yield f"{head}  [{', '.join(row.changes)}]" if row.changes else head
        for note in row.notes:
            yield f"{'':>19}{note}"
    yield from report.notes
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(report.counts.items()))
    yield f"{'dry run: ' if report.dry_run else ''}{counts or '0'}"
