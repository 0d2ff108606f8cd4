"""When something happens to a ticket by itself: warnings, dues, ends of pauses, closing. Pure."""

from collections.abc import Iterator

from tickets.sla import conversation
from tickets.sla.case import Case
from tickets.sla.outcome import Outcome


def next_change(case: Case, response: Outcome, resolution: Outcome, now: int) -> int | None:
    """The first instant after `now` at which looking again finds something new; None if never."""
    return min((at for at in _instants(case, response, resolution, now) if at > now), default=None)


def _instants(case: Case, response: Outcome, resolution: Outcome, now: int) -> Iterator[int]:
    if case.ended is not None:
        return
    for clock in (response, resolution):
        # A paused clock's due moves with now: what counts is when the pause ends.
        paused = clock is resolution and bool(case.open_pauses)
        if clock.running and clock.state == "in_flight" and not paused:
            yield from (at for at in clock.warn_at if at is not None)
            if clock.due is not None:
                yield clock.due + 1
    for pause in case.open_pauses:
        yield from (at for at in (pause.until, pause.gives_up) if at is not None)
    if case.rest is not None:
        yield case.rest.begin + case.policy.reopen + 1
    wait = conversation.running(case, now)
    if wait is not None and wait.due is not None:
        yield wait.due + 1
