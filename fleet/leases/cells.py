"""Reads the cells of a lease list. Every complaint names its column."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime, time
from decimal import Decimal, InvalidOperation
from typing import Any
from zoneinfo import ZoneInfo

from django.utils.dateparse import parse_date, parse_datetime
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.inventory.importing.columns import split_gpus
from fleet.leases.facts import PathFacts

REQUIRED = ("order_id",)
PLAIN = ("customer", "node", "group", "state", "kind", "container", "image", "price_unit")
TIMES = ("starts_at", "ends_at", "confirmed_at")
NAMES = (*REQUIRED, *PLAIN, "gpus", "paths", "limits", "price", *TIMES)
LISTS = ("gpus", "paths")  # a dash empties them
COLUMNS = {name: name for name in NAMES}
PATH = re.compile(
    r"(?P<kind>[a-z]+)\s+(?P<host>\S+):(?P<port>\d{1,5})\s+"
    r"(?P<node>\d{1,5})(?::(?P<inside>\d{1,5}))?(?:\s+via\s+(?P<gateway>\S+))?\Z"
)
LIMIT = re.compile(r"(?P<name>[a-z][a-z0-9_]{0,39})=(?P<value>\d{1,12}(?:\.\d{1,6})?)\Z")


def read_lease_facts(cells: Mapping[str, str], zone: ZoneInfo | None) -> dict[str, Any]:
    """The filled cells as facts of a lease, `confirmed_at` among them. Raises Refused by column.

    `zone` serves times that name none; without it they are refused.
    """
    facts: dict[str, Any] = {name: cells[name] for name in PLAIN if name in cells}
    errors: dict[str, str] = {}
    readers: dict[str, Callable[[str], Any]] = {
        "gpus": split_gpus,
        "paths": _paths,
        "limits": _limits,
        "price": _price,
        **{name: lambda cell: _time(cell, zone) for name in TIMES},
    }
    for name, read in readers.items():
        if name in cells:
            try:
                facts[name] = [] if cells[name] == "-" and name in LISTS else read(cells[name])
            except Refused as refused:
                errors[name] = str(refused)
    if errors:
        raise Refused(errors)
    return facts


def _time(cell: str, zone: ZoneInfo | None) -> datetime:
    try:
        moment = parse_datetime(cell)
        day = parse_date(cell) if moment is None else None
    except ValueError:
        moment, day = None, None
    if day is not None:
        moment = datetime.combine(day, time())
    if moment is None:
        raise Refused(_("“%(cell)s” is no time like 2026-11-30T08:00+08:00.") % {"cell": cell[:40]})
    if moment.tzinfo is None:
        if zone is None:
            raise Refused(_("The time needs its zone, such as +08:00, or name one for the file."))
        moment = moment.replace(tzinfo=zone)
    return moment


def _price(cell: str) -> Decimal:
    try:
        return Decimal(cell)
    except InvalidOperation as error:
        raise Refused(_("“%(cell)s” is not a number.") % {"cell": cell[:40]}) from error


def _limits(cell: str) -> dict[str, int | float]:
    limits: dict[str, int | float] = {}
    for word in cell.replace(";", " ").split():
        found = LIMIT.match(word)
        if not found:
            raise Refused(_("“%(cell)s” is no limit like disk_gib=100.") % {"cell": word[:40]})
        value = found["value"]
        limits[found["name"]] = float(value) if "." in value else int(value)
    return limits


def _paths(cell: str) -> list[PathFacts]:
    """`ssh gw.example:20022 20022:22; jupyter gw.example:20080 20080:8888 via gw-2`."""
    return [_path(word.strip()) for word in cell.split(";") if word.strip()]


def _path(text: str) -> PathFacts:
    found = PATH.match(text)
    if not found:
        raise Refused(
            _("“%(cell)s” is no port like “ssh gw.example:20022 20022:22”.") % {"cell": text[:60]}
        )
    return PathFacts(
        kind=found["kind"],
        public_host=found["host"],
        public_port=int(found["port"]),
        node_port=int(found["node"]),
        container_port=int(found["inside"]) if found["inside"] else None,
        gateway=found["gateway"] or "",
    )
