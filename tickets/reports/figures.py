"""The figures of a month, counted once over its rows: overall and by what people ask for."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tickets.reports.period import Month
from tickets.reports.rows import Row
from tickets.sla.attribution import Block, count, finish
from tickets.sla.percentiles import nearest_rank

BY = ("class", "customer", "provider", "layer")


@dataclass(slots=True)
class ClockFigures:
    """One clock: overall, and by class, customer, provider and layer."""

    overall: Block = field(default_factory=Block)
    by: dict[str, dict[str, Block]] = field(default_factory=lambda: {name: {} for name in BY})


@dataclass(slots=True)
class Figures:
    """A month. `acknowledged` are durations in milliseconds to the first acknowledgement."""

    month: Month
    tickets: int = 0
    response: ClockFigures = field(default_factory=ClockFigures)
    resolution: ClockFigures = field(default_factory=ClockFigures)
    acknowledged: list[int] = field(default_factory=list)
    unacknowledged: int = 0
    proactive: int = 0

    def percentile(self, percent: int) -> int | None:
        """Of the acknowledgements."""
        return nearest_rank(self.acknowledged, percent)


def figures(month: Month, rows: Iterable[Row]) -> Figures:
    """Count every row once."""
    found = Figures(month)
    for row in rows:
        found.tickets += 1
        found.proactive += row.proactive
        keys = {
            "class": row.case.klass,
            "customer": row.ticket.customer.name,
            "provider": row.provider,
            "layer": row.layer,
        }
        for clock, outcome in (
            (found.response, row.response),
            (found.resolution, row.resolution),
        ):
            counted = row.counted(outcome)
            count(clock.overall, counted, month.period)
            for name, key in keys.items():
                count(clock.by[name].setdefault(key, Block()), counted, month.period)
        _acknowledgement(found, row)
    for clock in (found.response, found.resolution):
        finish(clock.overall)
        for blocks in clock.by.values():
            for block in blocks.values():
                finish(block)
    found.acknowledged.sort()
    return found


def _acknowledgement(found: Figures, row: Row) -> None:
    """Of tickets that began in the month: how long until somebody said that they saw it."""
    case = row.case
    if not found.month.period.holds(case.start):
        return
    if case.acknowledged_at is None:
        found.unacknowledged += 1
    else:
        found.acknowledged.append(max(case.acknowledged_at - case.own_start, 0))
