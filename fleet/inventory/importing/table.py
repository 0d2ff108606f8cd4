"""Reads a CSV table as people export it: UTF-8 or GBK; comma, semicolon or tab; any order."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused

LARGEST = 5 * 1024 * 1024
MOST_ROWS = 10_000
LONGEST_CELL = 8_000


class BadFile(Refused):
    """The file cannot be read at all; no row was looked at."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One line: its number in the file, and its cells by column, empty ones left out."""

    line: int
    name: str
    cells: Mapping[str, str]


def decode(data: bytes) -> str:
    """The text of a file. Raises BadFile for what is too large or no text."""
    if len(data) > LARGEST:
        raise BadFile(_("The file is larger than 5 MB. Split it."))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "gb18030"]
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text
    raise BadFile(_("The file is no text in UTF-8 or GBK. Export it as CSV (UTF-8)."))


def read_table(
    text: str, *, columns: Mapping[str, str], required: tuple[str, ...]
) -> list[TableRow]:
    """The rows of a table with a header line.

    `columns` maps every spelling we accept to our name of the column; the first of `required`
    names the row. Raises BadFile for a header that lacks a required column or has one we do not
    know, and for more than 10,000 rows.
    """
    if "\0" in text:
        raise BadFile(_("The file is no text in UTF-8 or GBK. Export it as CSV (UTF-8)."))
    lines = _lines(text)
    if not lines:
        raise BadFile(_("The file is empty."))
    header = _header(lines[0][1], columns, required)
    if len(lines) - 1 > MOST_ROWS:
        raise BadFile(_("The file has more than 10,000 rows. Split it."))
    return [_row(line, cells, header, required[0]) for line, cells in lines[1:]]


def _lines(text: str) -> list[tuple[int, list[str]]]:
    """(line number, cells) of every line that is not blank."""
    first = text.lstrip("\ufeff").split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.lstrip("\ufeff"), newline=""), delimiter=delimiter)
    found: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found.append((reader.line_num, [cell.strip() for cell in cells]))
    except csv.Error as error:
        words = {"line": reader.line_num, "error": str(error)}
        raise BadFile(_("Line %(line)d is no CSV: %(error)s") % words) from error
    return found


def _header(cells: list[str], columns: Mapping[str, str], required: tuple[str, ...]) -> list[str]:
    words = [cell.lower().replace(" ", "_").replace("-", "_") for cell in cells]
    known = {"known": ", ".join(dict.fromkeys(columns.values()))}
    unknown = [cells[at] for at, word in enumerate(words) if word and word not in columns]
    if unknown:
        raise BadFile(
            _("Columns we do not know: %(unknown)s. Columns are: %(known)s.")
            % {"unknown": ", ".join(word[:40] for word in unknown[:10]), **known}
        )
    names = [columns.get(word, "") for word in words]
    named = [name for name in names if name]
    missing = [name for name in required if name not in names]
    if missing:
        raise BadFile(
            _("The first line must name the columns; missing: %(missing)s. Columns are: %(known)s.")
            % {"missing": ", ".join(missing), **known}
        )
    if len(set(named)) < len(named):
        raise BadFile(_("A column is named twice in the first line."))
    return names


def _row(line: int, cells: list[str], header: list[str], first: str) -> TableRow:
    found = {name: cell for name, cell in zip(header, cells, strict=False) if name and cell}
    surplus = any(cells[len(header) :])
    if surplus:
        found["__surplus__"] = "yes"
    return TableRow(line, found.get(first, "")[:80], found)


def check_shape(row: TableRow) -> None:
    """Raises Refused for a row with more cells than the header, or an enormous one."""
    if "__surplus__" in row.cells:
        raise Refused(
            _("This line has more cells than the first line. Quote cells that hold a comma.")
        )
    long = [name for name, cell in row.cells.items() if len(cell) > LONGEST_CELL]
    if long:
        raise Refused({long[0]: _("This cell is too long.")})
