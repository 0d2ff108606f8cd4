"""One ticket is absorbed by another of the same customer. Pure."""

from tickets.sla.case import ANSWER, MERGED, Case, Reply
from tickets.sla.clocks import resolution, response
from tickets.sla.events import Key


def merge(case: Case, named: Case | None, at: Key, *, known: bool) -> str:
    """`case` ends and what it names (or what absorbed that) goes on with its start and answers."""
    if case.rest or case.start > at.at:
        return "not_open"
    if not known:
        return "unknown_ticket"
    if named is None:
        return "not_open"
    target = named.alive
    if target is case:
        return "same_ticket"
    if target.ticket.customer != case.ticket.customer:
        return "other_customer"
    if target.rest or target.ended or target.start > at.at:
        return "not_open"
    _carry_breaches(case, target, at.at)
    target.start = min(target.start, case.start)
    answers = [reply for reply in case.replies if not reply.automated]
    target.replies = sorted([*target.replies, *answers])
    for reply in answers:
        target.say(reply.key, ANSWER)
    target.heard += case.heard
    case.finish(at, MERGED)
    case.survivor = target
    return ""


def _carry_breaches(one: Case, other: Case, now: int) -> None:
    """A merge hides no breach; but an answer on the other ticket, given in time, counts."""
    responses, resolutions = [], []
    for case, beside in ((one, other), (other, one)):
        also = [reply for reply in beside.replies if _counts(reply, case)]
        reckoning = response(case, now, also)
        if reckoning.breached and reckoning.due is not None and not _excluded(case):
            responses.append(reckoning.due)
        reckoning = resolution(case, now)
        if reckoning.breached and reckoning.due is not None:
            resolutions.append(reckoning.due)
    other.response_carried += responses
    other.resolution_carried += resolutions


def _counts(reply: Reply, case: Case) -> bool:
    return not reply.automated and reply.key.at >= case.start


def _excluded(case: Case) -> bool:
    return case.response_out is not None and not case.response_carried
