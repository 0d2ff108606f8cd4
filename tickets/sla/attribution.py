"""Which period a clock belongs to: that of the instant it was decided. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tickets.sla.outcome import Outcome
from tickets.sla.percentiles import nearest_rank, share

FEW = 20  # with fewer clocks a percentile says little


@dataclass(frozen=True, slots=True)
class Period:
    """Half open, in instants; what is reported of it is as of `as_of`."""

    begin: int
    end: int
    as_of: int

    def holds(self, at: int | None) -> bool:
        """Whether an instant lies in it."""
        return at is not None and self.begin <= at < self.end


@dataclass(frozen=True, slots=True)
class Counted:
    """One clock of one ticket, with what it is counted under."""

    ticket: str
    customer: str
    klass: str
    start: int
    outcome: Outcome


@dataclass(slots=True)
class Block:
    """The figures of some clocks in a period. Durations in milliseconds, in order."""

    met: int = 0
    breached: int = 0
    automated: int = 0
    in_flight: int = 0
    excluded: dict[str, int] = field(default_factory=dict)
    stopped: list[int] = field(default_factory=list)
    open_breached: list[tuple[str, int]] = field(default_factory=list)

    @property
    def n(self) -> int:
        """Clocks decided in the period: the denominator."""
        return self.met + self.breached

    @property
    def attainment(self) -> str:
        """Met of all decided, in percent."""
        return share(self.met, self.n)

    @property
    def small_sample(self) -> bool:
        """Too few stopped for percentiles to mean much."""
        return len(self.stopped) < FEW

    def percentile(self, percent: int) -> int | None:
        """Of the clocks that stopped in the period."""
        return nearest_rank(self.stopped, percent)


def block(clocks: Iterable[Counted], period: Period) -> Block:
    """Count clocks of one kind."""
    found = Block()
    for clock in clocks:
        count(found, clock, period)
    return finish(found)


def finish(found: Block) -> Block:
    """All have been counted: put durations and lists in order."""
    found.stopped.sort()
    found.open_breached.sort()
    return found


def count(found: Block, clock: Counted, period: Period) -> None:
    """Add one clock. Call `finish` after the last one."""
    outcome, decided = clock.outcome, clock.outcome.decided_at
    if clock.start < period.end and (decided is None or decided >= period.end):
        found.in_flight += 1
    if outcome.excluded is not None:
        if period.holds(decided):
            reason = outcome.excluded.reason
            found.excluded[reason] = found.excluded.get(reason, 0) + 1
        return
    if period.holds(decided):
        found.met += outcome.state == "met"
        found.breached += outcome.state == "breached"
        found.automated += outcome.automated
    if outcome.state != "in_flight" and period.holds(outcome.stopped_at):
        found.stopped.append(outcome.counted or 0)
    if outcome.state == "breached" and decided is not None and decided < period.end:
        late = outcome.stopped_at is not None and outcome.stopped_at >= period.end
        if outcome.running or late:
            so_far = outcome.counted_by(min(period.end, period.as_of))
            found.open_breached.append((clock.ticket, so_far))
