"""The export's columns: one row a ticket, every value with its type. Durations in seconds."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from tickets.cases.facts import maybe_moment
from tickets.reports.period import Month
from tickets.reports.rows import Row
from tickets.sla import instants
from tickets.sla.outcome import Outcome, state_of

Cell = str | int | float | bool | datetime | None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name in every format, and its value."""

    name: str
    value: Callable[[Row, Month], Cell]


def _seconds(duration: int | None) -> int | float | None:
    return None if duration is None else instants.seconds(duration)


def _local(at: int | None, zone: ZoneInfo) -> datetime | None:
    found = maybe_moment(at)
    return None if found is None else found.astimezone(zone)


def _clock(name: str, of: Callable[[Row], Outcome]) -> list[Column]:
    return [
        Column(f"{name}_state", lambda row, month: of(row).state),
        Column(f"{name}_seconds", lambda row, month: _seconds(of(row).counted)),
        Column(f"{name}_due", lambda row, month: _local(of(row).due, month.zone)),
        Column(f"{name}_at", lambda row, month: _local(of(row).stopped_at, month.zone)),
        Column(f"{name}_decided_at", lambda row, month: _local(of(row).decided_at, month.zone)),
        Column(f"{name}_in_period", lambda row, month: month.period.holds(of(row).decided_at)),
        Column(f"{name}_automated", lambda row, month: of(row).automated),
        Column(f"{name}_excluded", lambda row, month: _reason(of(row))),
    ]


def _reason(outcome: Outcome) -> str:
    return outcome.excluded.reason if outcome.excluded else ""


COLUMNS: tuple[Column, ...] = (
    Column("ticket", lambda row, month: row.ticket.pk),
    Column("customer", lambda row, month: row.ticket.customer.name),
    Column("instance", lambda row, month: row.ticket.lease.order_id if row.ticket.lease else ""),
    Column("provider", lambda row, month: row.provider),
    Column("source", lambda row, month: row.ticket.source),
    Column("class", lambda row, month: row.case.klass),
    Column("fault", lambda row, month: row.ticket.code),
    Column("layer", lambda row, month: row.layer),
    Column("state", lambda row, month: state_of(row.case, month.period.as_of)),
    Column("start", lambda row, month: _local(row.case.start, month.zone)),
    Column("proactive", lambda row, month: row.proactive),
    *_clock("response", lambda row: row.response),
    *_clock("resolution", lambda row: row.resolution),
    Column("policy_version", lambda row, month: row.case.policy.version),
)
NAMES = tuple(column.name for column in COLUMNS)


def cells(row: Row, month: Month) -> list[Cell]:
    """The values of one row, in the columns' order."""
    return [column.value(row, month) for column in COLUMNS]
