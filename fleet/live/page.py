"""What one open page shows of each region, and the frames that bring it up to date. Pure."""

import hashlib
import itertools
import json
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from fleet.live.region import Rows

# A page that was told to refetch does so within this time; until then its rows are not known.
FETCHING_S = 2.0

_TAG = re.compile(r"\s*<([a-zA-Z][\w-]*)")


@dataclass(slots=True)
class Shown:
    """What a page shows of one region: row id → hash of its HTML, in order.

    `version` is the version the page itself was rendered at, if it said so.
    """

    name: str
    version: int | None = None
    hashes: dict[str, bytes] | None = None
    fetching_until: float = 0.0
    clock: Callable[[], float] = time.monotonic

    def update(self, rows: Rows, version: int) -> list[str]:
        """The frames that turn what is shown into `rows`: the changed rows, or an order to
        refetch when rows came, went or moved, or when what the page shows is not known."""
        new = {row: _hash(html) for row, html in rows.rows.items()}
        old, self.hashes = self.hashes, new
        if old is None and version == self.version:
            return []
        now = self.clock()
        if old is None or list(old) != list(new):
            self.fetching_until = now + FETCHING_S
            return [refetch(self.name)]
        if now < self.fetching_until:
            return [refetch(self.name)]
        return frames(html for row, html in rows.rows.items() if old[row] != new[row])


def frames(rows: Iterable[str]) -> list[str]:
    """One frame for each run of rows with the same outermost tag: an HTML parser that has seen a
    `<tr>` would drop a `<div>` after it. htmx swaps each top-level element by its id."""
    return ["".join(run) for _tag, run in itertools.groupby(rows, key=_outermost)]


def refetch(name: str) -> str:
    """Order the page to fetch a region again."""
    return json.dumps({"refetch": name})


def beat() -> str:
    """The heartbeat: our clock in ms since the epoch."""
    return json.dumps({"beat": int(time.time() * 1000)})


def _outermost(html: str) -> str:
    found = _TAG.match(html)
    return found.group(1).lower() if found else ""


def _hash(html: str) -> bytes:
    return hashlib.blake2b(html.encode(), digest_size=16).digest()
