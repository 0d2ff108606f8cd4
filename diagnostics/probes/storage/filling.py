"""How full the file systems that matter are: the root and Docker's own. Pure."""

from collections.abc import Iterable

from diagnostics.probes.facts import FileSystem

MOUNTS = ("/", "/var/lib/docker")
WARN_PCT, FAIL_PCT = 85.0, 95.0


def used_pct(row: FileSystem) -> float | None:
    """As df counts: of what programs may use, without what is reserved for root."""
    usable = row["used"] + row["free"]
    return round(100 * row["used"] / usable, 1) if usable > 0 else None


def fullest(rows: Iterable[FileSystem]) -> tuple[FileSystem, float] | None:
    """The fullest of them, None when none counts anything."""
    found = [
        (row, used)
        for row in rows
        if row["mount"] in MOUNTS and (used := used_pct(row)) is not None
    ]
    return max(found, key=lambda pair: pair[1], default=None)
