"""A clock: what it has counted, when it is due, whether it is breached. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tickets.sla import calendar
from tickets.sla.calendar import FOREVER, Hours, Span
from tickets.sla.case import Change


@dataclass(frozen=True, slots=True)
class Count:
    """Open time since `start`, less what is `cut` out; `hours` are calendars, each from when."""

    start: int
    hours: tuple[tuple[int, Hours], ...]
    cut: tuple[Span, ...] = ()

    def until(self, at: int) -> int:
        """What has been counted by an instant."""
        return calendar.measure(self._spans(), at)

    def reach(self, amount: int) -> int | None:
        """The first instant at which so much has been counted; None if it never is."""
        return calendar.reach(self._spans(), amount)

    def due(self, budget: int) -> int | None:
        """As `reach`, but a pause that begins just then moves it to the pause's end."""
        first = self.reach(budget)
        return next((end for start, end in self.cut if start == first), first)

    def _spans(self) -> Iterator[Span]:
        opened = calendar.over(self.hours, self.start)
        return calendar.without(opened, list(self.cut)) if self.cut else opened


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A clock as of some instant. `stop` is as it happened, perhaps before the start (skew).

    `kept`: breached only because a merge hides no breach.
    """

    count: Count
    budgets: tuple[tuple[int, int], ...]  # from when, how much
    stop: int | None
    due: int | None
    breached: bool
    kept: bool

    def budget_at(self, at: int) -> int:
        """The budget in force at an instant."""
        return [budget for begin, budget in self.budgets if begin <= at][-1]


def reckon(
    *,
    start: int,
    changes: Sequence[tuple[Change, int]],
    cut: Sequence[Span],
    stop: int | None,
    now: int,
    carried: Sequence[int],
) -> Reckoning:
    """Walk through the changes of class and policy, each with its target, in their order.

    A change counts if it comes at or before the stop and at or before due; one that comes later
    finds the clock decided. `carried` are instants by which a merge made it breached.
    """
    last = min([FOREVER if stop is None else stop, *carried])
    (first, target), *later = changes
    hours, budgets = [(first.at, first.policy.hours)], [(first.at, target)]
    count = Count(start, tuple(hours), tuple(cut))
    due = count.due(target)
    for change, new in later:
        if change.at > last or (due is not None and due < change.at):
            break
        counted, budget = count.until(change.at), budgets[-1][1]
        budget = min(budget, counted + new) if new < target else budget
        budget = max(budget, new) if new > target else budget
        target = new
        hours.append((change.at, change.policy.hours))
        budgets.append((change.at, budget))
        count = Count(start, tuple(hours), tuple(cut))
        due = count.due(budget)
    breached = due is not None and (now if stop is None else stop) > due
    kept = bool(carried) and not breached
    if carried and (kept or due is None or min(carried) < due):
        breached, due = True, min(carried)
    return Reckoning(count, tuple(budgets), stop, due, breached, kept)
