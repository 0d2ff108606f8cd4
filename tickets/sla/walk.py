"""Walks through the events of tickets that may touch each other, in the order that counts. Pure.

A ticket touches another only by a merge. What is dismissed as a courtesy never reopened anything,
so the walk starts anew with that known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tickets.sla import acts, conversation, merging
from tickets.sla.case import ANSWER, DISMISS, MERGED, NO_REPLY, WORD, Case, Pause, Refusal, Reply
from tickets.sla.events import ORDER, Event, Incident, Key, Ticket, key
from tickets.sla.policy import Policy
from tickets.sla.standing import open_case, receipt_of

# These do nothing that an ended, absorbed or closed ticket could not bear.
HARMLESS = frozenset(
    {"created", "received", "note", "assigned", "state", "acknowledged", "bounced", "class_set"}
) | {"corrected", "broadcast"}
TEXTS = frozenset({"message", "pause", "consent_asked", "resolved"})
DONE = frozenset({"class_set", "corrected"})  # settled before the walk
LAST = len(ORDER)  # what happens by itself comes after all events of its instant
SOURCE = frozenset({"source_fired", "source_recovered"})


class Step(NamedTuple):
    """An event where it counts; `late` is a call logged too late to count when it was made."""

    key: Key
    ticket: str
    event: Event
    late: bool = False


@dataclass(slots=True)
class Courtesies:
    """Words of thanks: what dismissed them, and which would otherwise have reopened a ticket."""

    dismissals: set[Key] = field(default_factory=set)
    words: set[Key] = field(default_factory=set)


@dataclass(slots=True)
class World:
    """What a walk knows: all tickets that exist, by id, and the versions of each by number."""

    cases: dict[str, Case]
    known: frozenset[str]
    versions: Mapping[str, Mapping[int, Policy]]
    bounced: Mapping[str, frozenset[str]]
    courtesies: Courtesies
    again: bool = False


def walk(
    tickets: Sequence[Ticket],
    incidents: Mapping[str, Incident],
    policies: Sequence[Policy],
    now: int,
    *,
    known: frozenset[str],
    correct: bool = True,
) -> dict[str, Case]:
    """The cases of tickets that exist at `now`, by id. `known` are the ids of the whole file."""
    courtesies = Courtesies()
    versions = {
        ticket.id: {policy.version: policy for policy in ticket.policies or policies}
        for ticket in tickets
    }
    while True:
        cases, bounced = _open(tickets, incidents, policies, now, correct=correct)
        world = World(cases, known, versions, bounced, courtesies)
        steps = sorted(_steps(tickets, incidents, world, now), key=lambda step: step.key)
        for step in steps:
            _let_pass(world, step.key.at)
            _happen(world, step)
            if world.again:
                break
        else:
            _let_pass(world, now + 1)
            return world.cases


def _open(
    tickets: Sequence[Ticket],
    incidents: Mapping[str, Incident],
    policies: Sequence[Policy],
    now: int,
    *,
    correct: bool,
) -> tuple[dict[str, Case], dict[str, frozenset[str]]]:
    """The tickets that exist at their start, and the ids of texts that came back, by ticket."""
    cases: dict[str, Case] = {}
    bounced: dict[str, frozenset[str]] = {}
    for ticket in tickets:
        events = _seen(ticket.events, now)
        case = open_case(ticket, events, ticket.policies or policies, correct=correct)
        if case is None:
            continue
        cases[ticket.id] = case
        incident = incidents.get(ticket.parent or "")
        there = {event.id for event in (*events, *_seen(incident.events if incident else (), now))}
        returned = [event for event in events if event.kind == "bounced"]
        bounced[ticket.id] = frozenset(event.target for event in returned)
        case.refused += [
            Refusal(event, "unknown_event") for event in returned if event.target not in there
        ]
        case.acknowledged_at = min(
            (e.at for e in events if e.kind == "acknowledged" and e.author == "staff"),
            default=None,
        )
    return cases, bounced


def _seen(events: Sequence[Event], now: int) -> list[Event]:
    return [event for event in events if event.known_at <= now]


def _steps(
    tickets: Sequence[Ticket], incidents: Mapping[str, Incident], world: World, now: int
) -> Iterator[Step]:
    for ticket in tickets:
        case = world.cases.get(ticket.id)
        if case is None:
            continue
        incident = incidents.get(ticket.parent or "")
        said = [e for e in (incident.events if incident else ()) if e.kind == "broadcast"]
        for event in _seen((*ticket.events, *said), now):
            if event.kind not in DONE:
                late = event.staff_call and event.known_at - event.at > case.policy.backdate
                at = event.known_at if late else event.at
                yield Step(key(event, ticket.id, at), ticket.id, event, late)


def _let_pass(world: World, before: int) -> None:
    """What happens by itself before an instant: pauses reach their end, silence resolves."""
    for case in world.cases.values():
        while (coming := _next_by_itself(case)) and coming[0] < before:
            at, gives_up, pause = coming
            if gives_up:
                case.resolve(Key(at, LAST, case.ticket.id, ""), NO_REPLY)
            else:
                pause.end = at


def _next_by_itself(case: Case) -> tuple[int, bool, Pause] | None:
    waiting = [(p.until, False, p) for p in case.open_pauses if p.until is not None]
    waiting += [(p.gives_up, True, p) for p in case.open_pauses if p.gives_up is not None]
    return min(waiting, key=lambda each: each[:2], default=None)


def _happen(world: World, step: Step) -> None:
    case, event = world.cases[step.ticket], step.event
    acting = case.alive if event.kind == "message" else case
    text = event.kind in TEXTS or event.kind == "broadcast"
    undelivered = acts.delivered(case, event, world.bounced[step.ticket]) if text else ""
    if step.key in world.courtesies.dismissals:
        acting.say(step.key, DISMISS)
        return
    reason = _out_of_reach(case, acting, event, step.key.at, answer=text and not undelivered)
    if reason:
        case.refused.append(Refusal(event, reason))
        return
    if text and not undelivered and not _passed_over(acting, step):
        acting.replies.append(Reply(step.key))
        acting.say(step.key, ANSWER)
    reason = _act(world, acting, step, undelivered)
    if reason:
        case.refused.append(Refusal(event, reason))


def _passed_over(case: Case, step: Step) -> bool:
    """A broadcast reaches tickets that have started and are neither ended nor closed."""
    at = step.key.at
    out = case.ended is not None or case.closed(at) or case.start > at
    return step.event.kind == "broadcast" and out


def _out_of_reach(case: Case, acting: Case, event: Event, at: int, *, answer: bool) -> str:
    """The refusals that come before all others."""
    foreign = event.kind in SOURCE and case.ticket.source != "alert"
    idle = event.kind == "message" and not (answer or event.by_customer)
    if event.kind in HARMLESS or foreign or idle:
        return ""
    if case.ended and case.ended.reason == MERGED and event.kind != "message":
        return MERGED
    if acting.ended:
        return "over"
    return "closed" if acting.closed(at) else ""


def _act(world: World, case: Case, step: Step, undelivered: str) -> str:
    event, at = step.event, step.key
    if event.kind == "message":
        return _message(world, case, step)
    if event.kind in {"pause", "consent_asked"}:
        return acts.pause(case, event, at, undelivered)
    if event.kind == "resolved":
        return acts.resolve(case, event, at, undelivered)
    if event.kind == "policy_reapplied":
        return acts.reapply(case, world.versions[step.ticket].get(event.version), at)
    if event.kind == "merged_into":
        target = world.cases.get(event.target)
        return merging.merge(case, target, at, known=event.target in world.known)
    if event.kind == "dismissed":
        return _dismiss(world, case, at)
    act = acts.ACTS.get(event.kind)
    return act(case, event, at) if act else ""


def _message(world: World, case: Case, step: Step) -> str:
    event, at = step.event, step.key
    if event.by_customer:
        acts.customer_word(case, at, courtesy=at in world.courtesies.words)
    if step.late:
        return "backdate_limit"
    call = event.staff_call or (event.by_customer and event.channel == "phone")
    if call and event.known_at > event.at:
        case.flags.add("backdated")
    return ""


def _dismiss(world: World, case: Case, at: Key) -> str:
    wait = conversation.running(case, at.at)
    if wait is None or wait.word.kind != WORD:
        return "nothing_to_dismiss"
    if wait.breached:
        return "too_late"
    if any(rest.ended_by == wait.word.key for rest in case.rests):
        world.courtesies.dismissals.add(at)
        world.courtesies.words.add(wait.word.key)
        world.again = True
    else:
        case.say(at, DISMISS)
    return ""


def receipt(ticket: Ticket, now: int) -> int | None:
    """When we first had word of a ticket, of what is known at `now`."""
    return receipt_of(_seen(ticket.events, now))
