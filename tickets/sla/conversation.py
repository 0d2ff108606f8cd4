"""The next-response clock: from the oldest unanswered word of the customer. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from tickets.sla.case import ANSWER, ASKED, RESOLVE, WORD, Case, Talk
from tickets.sla.clock import Count


@dataclass(frozen=True, slots=True)
class Wait:
    """One run of the clock. `word` began it; `stop` is None while it runs."""

    word: Talk
    due: int | None
    seconds: int
    stop: int | None
    breached: bool


def waits(case: Case, now: int) -> list[Wait]:
    """Every run of it, in order. Before the first answer or resolve the response clock runs."""
    return [_wait(case, word, stop, now) for word, stop in _runs(case)]


def running(case: Case, now: int) -> Wait | None:
    """The run that has not ended."""
    return next((wait for wait in waits(case, now) if wait.stop is None), None)


def _runs(case: Case) -> Iterator[tuple[Talk, int | None]]:
    begun: Talk | None = None
    served = False
    for turn in case.talk:
        if turn.kind in {WORD, ASKED}:
            if begun is None and served:
                begun = turn
            continue
        served = served or turn.kind in {ANSWER, RESOLVE}
        if begun is not None:
            yield begun, turn.key.at
            begun = None
    if begun is not None:
        yield begun, None


def _wait(case: Case, word: Talk, stop: int | None, now: int) -> Wait:
    begin = word.key.at
    count = Count(begin, tuple(case.hours))
    due = count.due(case.policy_at(begin).next_response)
    end = now if stop is None else stop
    return Wait(word, due, count.until(end), stop, due is not None and end > due)
