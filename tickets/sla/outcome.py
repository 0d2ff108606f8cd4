"""What the clocks of a ticket come to, as of an instant. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tickets.sla import calendar
from tickets.sla.case import AUTOMATED, MERGED, SPAM, TEST, Case, Exclusion
from tickets.sla.clock import Reckoning
from tickets.sla.clocks import resolution, response

ClockState = Literal["met", "breached", "in_flight", "excluded"]
OUT = frozenset({MERGED, SPAM, TEST})  # these take both clocks out, whatever they were


@dataclass(frozen=True, slots=True)
class Outcome:
    """One clock. Durations in milliseconds; `end` is what `counted` runs up to.

    `counted` is None if the clock is excluded, or if the ticket ended or is Resolved without it
    having stopped. `budget` is what it has to keep within; `due` None for a clock that never is.
    """

    state: ClockState
    counted: int | None
    end: int | None
    stopped_at: int | None
    due: int | None
    decided_at: int | None
    warn_at: tuple[int | None, ...]
    automated: bool
    negative: bool
    kept: bool
    excluded: Exclusion | None
    reckoning: Reckoning

    @property
    def breached_at(self) -> int | None:
        """When it was breached: its due instant, whenever anybody looked."""
        return self.due if self.state == "breached" else None

    @property
    def running(self) -> bool:
        """It counts, or waits for a pause to end."""
        return self.counted is not None and self.stopped_at is None

    def counted_by(self, at: int) -> int:
        """What it had counted by an instant."""
        return self.reckoning.count.until(at)

    @property
    def cut(self) -> int:
        """How much of the time up to `end` was paused or in Resolved."""
        start = self.reckoning.count.start
        spans = [(max(begin, start), end) for begin, end in self.reckoning.count.cut]
        whole = [span for span in spans if span[0] < span[1]]
        return calendar.measure(whole, max(self.end or start, start))


def response_outcome(case: Case, now: int) -> Outcome:
    """The response clock."""
    out = _taken_out(case)
    if out is None and not case.response_carried:
        out = case.response_out
    first = case.replies[0] if case.replies else None
    automated = first is not None and first.automated
    outcome = _outcome(case, response(case, _until(case, now)), now, out, automated=automated)
    return replace(outcome, kept=True) if out is None and case.response_out else outcome


def resolution_outcome(case: Case, now: int) -> Outcome:
    """The resolution clock."""
    rest = case.rest
    automated = rest is not None and rest.reason == AUTOMATED
    out = _taken_out(case) or case.resolution_out
    return _outcome(case, resolution(case, _until(case, now)), now, out, automated=automated)


def _until(case: Case, now: int) -> int:
    """A ticket that has ended breaches nothing afterwards."""
    return min(now, case.ended.at) if case.ended else now


def first_counted(case: Case, outcome: Outcome) -> int | None:
    """What the resolution clock had counted at the first resolve, also one that was reopened."""
    if outcome.excluded or not case.rests:
        return None
    return outcome.counted_by(case.rests[0].begin)


def _taken_out(case: Case) -> Exclusion | None:
    return case.ended if case.ended and case.ended.reason in OUT else None


def _outcome(
    case: Case, clock: Reckoning, now: int, out: Exclusion | None, *, automated: bool
) -> Outcome:
    start = clock.count.start
    if out is not None:
        none: tuple[int | None, ...] = (None,) * len(case.policy.warn_percent)
        return Outcome(
            "excluded", None, None, None, None, out.at, none, False, False, False, out, clock
        )
    stop = None if clock.stop is None else max(clock.stop, start)
    state: ClockState = "breached" if clock.breached else "in_flight" if stop is None else "met"
    decided = clock.due if clock.breached else stop
    over = case.ended is not None or case.rest is not None
    end = stop if stop is not None else None if over else now
    return Outcome(
        state=state,
        counted=None if end is None else clock.count.until(end),
        end=end,
        stopped_at=stop,
        due=clock.due,
        decided_at=decided,
        warn_at=_warnings(case, clock, now, [x for x in (stop, decided) if x is not None]),
        automated=automated,
        negative=clock.stop is not None and clock.stop < start,
        kept=clock.kept,
        excluded=None,
        reckoning=clock,
    )


def _warnings(
    case: Case, clock: Reckoning, now: int, settled: Sequence[int]
) -> tuple[int | None, ...]:
    """When each share of the budget is used up; a settled clock warns no more."""
    last = min(settled, default=now)
    budget, policy = clock.budget_at(last), case.policy_at(last)
    shares = [-(-budget * percent // 100) for percent in policy.warn_percent]
    reached = [clock.count.reach(share) for share in shares]
    return tuple(None if settled and (at is None or at >= last) else at for at in reached)


def state_of(case: Case, now: int) -> str:
    """What the ticket is: open, paused, resolved, closed, or how it ended."""
    if case.ended is not None:
        return case.ended.reason
    if case.rest is not None:
        return "closed" if case.closed(now) else "resolved"
    return "paused" if case.open_pauses else "open"


def is_proactive(case: Case, outcome: Outcome) -> bool:
    """We wrote first: an alert or staff opened it, and no word of the customer came before."""
    if outcome.excluded or outcome.stopped_at is None or outcome.automated:
        return False
    own = case.ticket.source in {"alert", "staff"}
    return own and not any(word < case.replies[0].key for word in case.heard)


def is_sticky(case: Case, outcome: Outcome) -> bool:
    """The class was changed after the breach, which stands all the same."""
    breach = outcome.breached_at
    return breach is not None and any(at > breach for at in case.reclassed)
