"""The columns of a node list, in the spellings people use, and how each cell is read."""

import csv
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.inventory.models import Node
from fleet.inventory.services.nodes import FACTS, PLACE

REQUIRED = ("name", "address")
NAMES = (
    "name",
    "provider",
    "region",
    "address",
    "port",
    "jump",
    *PLACE,
    *FACTS,
    "gpus",
    "gpu_model",
    "host_key",
)
SPELLINGS = Path(__file__).with_name("spellings.csv")


def _spellings() -> dict[str, str]:
    """Other spellings of our columns, such as those of a Chinese spreadsheet."""
    with SPELLINGS.open(encoding="utf-8", newline="") as lines:
        return {row["spelling"]: row["column"] for row in csv.DictReader(lines)}


COLUMNS: dict[str, str] = {name: name for name in NAMES} | _spellings()
WHOLE_NUMBERS = ("port", "psu_watts", "cpu_cores", "ram_gib", "disk_gib")
HIGHEST = 2_147_483_647


def read_facts(cells: dict[str, str] | Any) -> dict[str, Any]:
    """The cells that are plain fields of a node, as values. Raises Refused by column."""
    errors: dict[str, str] = {}
    values: dict[str, Any] = {}
    for name in ("address", "port", *PLACE, *FACTS):
        cell = cells.get(name)
        if cell is None:
            continue
        if name in WHOLE_NUMBERS:
            if not (cell.isascii() and cell.isdecimal() and int(cell[:12]) <= HIGHEST):
                errors[name] = _("“%(cell)s” is not a whole number.") % {"cell": cell[:40]}
                continue
            values[name] = int(cell)
        else:
            most = Node._meta.get_field(name).max_length  # type: ignore[union-attr]
            if most is not None and len(cell) > most:
                errors[name] = _("This is longer than %(most)d characters.") % {"most": most}
            values[name] = cell
    if errors:
        raise Refused(errors)
    return values


def split_gpus(cell: str) -> list[str]:
    """The UUIDs in one cell, parted by spaces, semicolons or commas."""
    return cell.replace(";", " ").replace(",", " ").replace("；", " ").split()
