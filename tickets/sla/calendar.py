"""When the clocks of a contract count: always, or in the open hours of a place. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

from tickets.sla import instants

Span = tuple[int, int]  # half open, in instants
Minutes = tuple[tuple[int, int], ...]  # of a local day, half open, in order
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
FOREVER = 2**62  # an instant later than any


@dataclass(frozen=True)
class Hours:
    """Open hours by local date: an open day's stand before holidays, holidays before weekdays.

    Without a zone it is open always.
    """

    zone: ZoneInfo | None = None
    weekly: tuple[Minutes, ...] = ((),) * 7
    holidays: frozenset[date] = frozenset()
    open_days: Mapping[date, Minutes] = field(default_factory=dict)

    def spans(self, since: int) -> Iterator[Span]:
        """Open spans that end after `since`, in order, cut off there; ends when none can follow."""
        if self.zone is None:
            yield since, FOREVER
            return
        day = instants.local_date(since, self.zone)
        day = day if day == date.min else day - timedelta(days=1)
        last = date.max if any(self.weekly) else max(self.open_days, default=date.min)
        while day <= last:
            for start, end in self._on(day, self.zone):
                if end > since:
                    yield max(start, since), end
                    since = end  # hours that a skipped hour made overlap count once
            if day == date.max:
                return
            day += timedelta(days=1)

    def _on(self, day: date, zone: ZoneInfo) -> Iterator[Span]:
        minutes = self.open_days.get(day)
        if minutes is None:
            minutes = () if day in self.holidays else self.weekly[day.weekday()]
        for start, end in minutes:
            span = instants.at_local(day, start, zone), instants.at_local(day, end, zone)
            if span[0] < span[1]:
                yield span


ALWAYS = Hours()


def over(parts: Iterable[tuple[int, Hours]], since: int) -> Iterator[Span]:
    """Open spans from `since` on, where each `(from, hours)` holds until the next part's begin."""
    begins = [*parts, (FOREVER, ALWAYS)]
    for (begin, hours), (end, _next) in pairwise(begins):
        if end <= since:
            continue
        for start, stop in hours.spans(max(begin, since)):
            if start >= end:
                break
            yield start, min(stop, end)


def union(spans: Iterable[Span]) -> list[Span]:
    """The same time as spans that neither touch nor overlap; empty spans are none."""
    merged: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def without(spans: Iterable[Span], cut: list[Span]) -> Iterator[Span]:
    """`spans` less the time in `cut` (as `union` gives it), in order."""
    place = 0
    for start, end in spans:
        begin = start
        while place < len(cut) and cut[place][1] <= begin:
            place += 1
        for cut_start, cut_end in cut[place:]:
            if cut_start >= end:
                break
            if cut_start > begin:
                yield begin, cut_start
            begin = max(begin, cut_end)
        if begin < end:
            yield begin, end


def measure(spans: Iterable[Span], until: int) -> int:
    """How much of `spans` (in order) lies before `until`."""
    total = 0
    for start, end in spans:
        if start >= until:
            break
        total += min(end, until) - start
    return total


def reach(spans: Iterable[Span], amount: int) -> int | None:
    """The first instant by which `spans` hold `amount`; None if they never do."""
    left = amount
    for start, end in spans:
        if end - start >= left:
            return start + left if start + left < FOREVER else None
        left -= end - start
    return None
