"""Writes a month as CSV, XLSX or JSON, row by row, so that its length costs no memory."""

import csv
import json
import tempfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell

from tickets.cases.models import Ticket
from tickets.reports.figures import BY, ClockFigures, Figures, figures
from tickets.reports.period import Month
from tickets.reports.rows import Row, of_month, rows
from tickets.reports.table import NAMES, Cell, cells
from tickets.sla import instants
from tickets.sla.attribution import Block

FORMATS = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
# A spreadsheet would take a cell that begins so for a formula.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
PORTION = 64 * 1024
NOTES = (
    "Durations are in seconds, times in the report's zone. in_period: decided in this month.",
    "met: stopped at its due or before. breached: belongs to the month of its due.",
    "in_flight: undecided; in no denominator. excluded: merged, spam, test, withdrawn, recovered.",
    "Attainment is met of met and breached, cut to two decimals. Percentiles are nearest rank.",
)


def export(kind: str, month: Month, tickets: QuerySet[Ticket]) -> Iterator[bytes]:
    """The month of these tickets in one of FORMATS, in portions. A workbook's figures and rows are
    read one after the other, so that neither is held in memory."""
    wanted = of_month(tickets, month)
    if kind == "xlsx":
        yield from xlsx_portions(month, rows(wanted, month), figures(month, rows(wanted, month)))
        return
    lines = csv_lines if kind == "csv" else json_lines
    gathered = bytearray()
    for line in lines(month, rows(wanted, month)):
        gathered += line.encode()
        if len(gathered) >= PORTION:
            yield bytes(gathered)
            gathered.clear()
    yield bytes(gathered)


def harmless(text: str) -> str:
    """A text that no spreadsheet reads as a formula."""
    return "'" + text if text.startswith(FORMULA) else text


def csv_lines(month: Month, found: Iterable[Row]) -> Iterator[str]:
    """A heading and one line a ticket; begins with a mark by which Excel knows UTF-8."""
    writer = csv.writer(_Echo())
    yield "\ufeff" + writer.writerow(NAMES)
    for row in found:
        yield writer.writerow([_plain(cell) for cell in cells(row, month)])


class _Echo:
    """A file that gives back what is written to it."""

    def write(self, text: str) -> str:
        return text


def _plain(cell: Cell) -> str | int | float:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return cell.isoformat(timespec="milliseconds")
    return harmless(cell) if isinstance(cell, str) else cell


def json_lines(month: Month, found: Iterable[Row]) -> Iterator[str]:
    """One object: what the month is, and its tickets."""
    head = json.dumps(about(month), ensure_ascii=False)
    yield head[:-1] + ', "tickets": ['
    for place, row in enumerate(found):
        told = dict(zip(NAMES, map(_typed, cells(row, month)), strict=True))
        yield ("," if place else "") + "\n" + json.dumps(told, ensure_ascii=False)
    yield "\n]}\n"


def _typed(cell: Cell) -> str | int | float | bool | None:
    return cell.isoformat(timespec="milliseconds") if isinstance(cell, datetime) else cell


def about(month: Month) -> dict[str, Any]:
    """What a month is, for programs."""
    return {
        "month": month.name,
        "zone": month.zone.key,
        "from": month.begin.isoformat(),
        "to": month.end.isoformat(),
        "as_of": month.as_of.isoformat(),
        "status": "frozen" if month.frozen else "provisional",
    }


def xlsx_portions(month: Month, found: Iterable[Row], told: Figures) -> Iterator[bytes]:
    """A workbook with sheets `tickets`, `figures` and `notes`; every cell has its type."""
    book = Workbook(write_only=True)
    sheet = book.create_sheet("tickets")
    sheet.freeze_panes = "A2"
    sheet.append(list(NAMES))
    for row in found:
        sheet.append([_cell(sheet, cell) for cell in cells(row, month)])
    table = book.create_sheet("figures")
    for line in figure_lines(told):
        table.append([_cell(table, cell) for cell in line])
    notes = book.create_sheet("notes")
    for name, value in about(month).items():
        notes.append([name, value])
    for note in NOTES:
        notes.append([note])
    with tempfile.TemporaryFile() as file:
        book.save(file)
        file.seek(0)
        while portion := file.read(PORTION):
            yield portion


def _cell(sheet: Any, cell: Cell) -> Any:
    """Workbooks know no zones: times are written as the report's own. Text is text, no formula."""
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=None)
    if isinstance(cell, str):
        written = WriteOnlyCell(sheet, value=_printable(cell))
        written.data_type = "s"
        return written
    return cell


def _printable(text: str) -> str:
    """What XML can hold."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n")


FIGURE_NAMES = (
    *("clock", "by", "key", "met", "breached", "n", "attainment", "in_flight", "automated"),
    *("excluded", "stopped", "p50_s", "p90_s", "p95_s", "max_s", "open_breached"),
)


def figure_lines(told: Figures) -> Iterator[list[Cell]]:
    """A heading and a line for each block."""
    yield list(FIGURE_NAMES)
    for name, clock in (("response", told.response), ("resolution", told.resolution)):
        yield from _clock_lines(name, clock)


def _clock_lines(name: str, clock: ClockFigures) -> Iterator[list[Cell]]:
    yield [name, "overall", "", *_block(clock.overall)]
    for by in BY:
        for key, block in sorted(clock.by[by].items()):
            yield [name, by, key, *_block(block)]


def _block(block: Block) -> list[Cell]:
    percentiles = [block.percentile(percent) for percent in (50, 90, 95)]
    longest = block.stopped[-1] if block.stopped else None
    return [
        *(block.met, block.breached, block.n, block.attainment, block.in_flight, block.automated),
        *(sum(block.excluded.values()), len(block.stopped)),
        *(None if each is None else instants.seconds(each) for each in (*percentiles, longest)),
        len(block.open_breached),
    ]
