"""Prints an import's report for a terminal."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from fleet import typed
from fleet.inventory.importing.report import Report

ACTS = frozenset({"created", "updated"})  # what a dry run would do, and has not


def lines_of(report: Report) -> Iterator[str]:
    """One line per row, then the sum. What a file says cannot steer the terminal."""
    for row in report.rows:
        head = f"{row.line:>6}  {_outcome(report, row.outcome):<13}  {typed.visible(row.name)}"
        changes = ", ".join(map(typed.visible, row.changes))
        yield f"{head}  [{changes}]" if changes else head
        for note in row.notes:
            yield f"{'':>23}{typed.visible(note)}"
    yield from map(typed.visible, report.notes)
    if not report.rows:
        yield _("The file has its heading and no row: there was nothing to import.")
        return
    counts = sorted(report.counts.items())
    said = ", ".join(f"{count} {_outcome(report, outcome)}" for outcome, count in counts)
    yield _("dry run, nothing was written: %(said)s") % {"said": said} if report.dry_run else said


def _outcome(report: Report, outcome: str) -> str:
    return f"would be {outcome}" if report.dry_run and outcome in ACTS else outcome
