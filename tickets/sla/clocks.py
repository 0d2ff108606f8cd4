"""The two clocks a customer is promised, of a case as of some instant. Pure."""

from collections.abc import Iterable

from tickets.sla.case import Case, Reply
from tickets.sla.clock import Reckoning, reckon


def response(case: Case, now: int, also: Iterable[Reply] = ()) -> Reckoning:
    """The response clock. `also`: replies given elsewhere that count for it."""
    replies = sorted([*case.replies, *also])
    return reckon(
        start=case.start,
        changes=[(change, change.policy.classes[change.klass].response) for change in case.changes],
        cut=(),
        stop=replies[0].key.at if replies else None,
        now=now,
        carried=case.response_carried,
    )


def resolution(case: Case, now: int) -> Reckoning:
    """The resolution clock: it leaves out pauses and the time in Resolved."""
    rest = case.rest
    return reckon(
        start=case.start,
        changes=[
            (change, change.policy.classes[change.klass].resolution) for change in case.changes
        ],
        cut=case.stopped(now),
        stop=rest.begin if rest else None,
        now=now,
        carried=case.resolution_carried,
    )
