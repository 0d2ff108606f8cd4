"""Writes down what follows from a ticket's events: its state, its clocks, decisions and alarms.

Only this module writes those columns. Settling twice, late or from two processes at once gives the
same rows: everything follows from the events and the clock, and decisions carry the instant they
were due, not the instant somebody looked.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q
from prometheus_client import Counter

from fleet.changes.services import announce
from tickets.cases.facts import facts_of, maybe_moment, moment, name
from tickets.cases.models import Alarm, Outcome, Ticket
from tickets.cases.states import Clock, ClockState
from tickets.policies.terms import instant
from tickets.sla import conversation, outcome, upcoming
from tickets.sla.replay import Reckoned, replay

DRIFT = Counter("halfhour_outcome_drift", "Decisions that came out otherwise for no known reason.")
BREACH = 100
LATER = timedelta(minutes=1)  # a ticket that cannot be settled stands back for so long
log = logging.getLogger(__name__)


def settle(ticket_id: int, now: datetime, *, because: str = "") -> Mapping[str, Reckoned]:
    """Bring a ticket, and those merged with it, up to date. Call it inside a transaction.

    `because` names what has just happened, if that may decide clocks again. Returns the reckoning
    by `facts.name`.
    """
    rows = _group(ticket_id)
    # Another server's clock may be a little ahead: nothing is settled as of before it began.
    now = max([now, *(row.created_at for row in rows)])
    found = replay(facts_of(rows), (), (), instant(now), originals=False).found
    for row in rows:
        _write(row, found[name(row.pk)], now, because)
    return found


def _group(ticket_id: int) -> list[Ticket]:
    """The ticket and every one that merges join to it, locked in the order of their numbers."""
    together = {ticket_id}
    while True:
        joined = Ticket.objects.filter(Q(pk__in=together) | Q(merged_into__in=together))
        pairs = list(joined.values_list("pk", "merged_into"))
        found = {pk for pair in pairs for pk in pair if pk is not None} | together
        if found == together:
            break
        together = found
    locked = Ticket.objects.select_for_update(no_key=True).filter(pk__in=together)
    return list(locked.order_by("pk"))


def _write(ticket: Ticket, row: Reckoned, now: datetime, because: str) -> None:
    columns = _columns(row, instant(now))
    changed = {key for key, value in columns.items() if getattr(ticket, key) != value}
    if changed:
        Ticket.objects.filter(pk=ticket.pk).update(**{key: columns[key] for key in changed})
        for key in changed:
            setattr(ticket, key, columns[key])
    decided = _decide(ticket, row, because)
    alarmed = _alarm(ticket, row, now)
    if decided or alarmed or changed - {"wake_at"}:
        announce(*regions(ticket))


def regions(ticket: Ticket) -> list[str]:
    """The parts of pages that show this ticket."""
    return [
        "tickets",
        "board",
        "incident",
        f"ticket:{ticket.pk}",
        f"my-ticket:{ticket.pk}",
        f"my-tickets:{ticket.customer_id}",
    ]


def _columns(row: Reckoned, now: int) -> dict[str, object]:
    case, response, resolution = row.case, row.response, row.resolution
    wait = conversation.running(case, now)
    live = case.ended is None and case.rest is None
    dues = [
        clock.due
        for clock in (response, resolution)
        if live and clock.stopped_at is None and clock.excluded is None and clock.due is not None
    ]
    if wait is not None and wait.due is not None:
        dues.append(wait.due)
    running = [due for due in dues if not (case.open_pauses and due == resolution.due)]
    return {
        "state": outcome.state_of(case, now),
        "klass": case.klass,
        "start_at": moment(case.start),
        "response_state": response.state,
        "response_due_at": maybe_moment(response.due),
        "response_at": maybe_moment(response.stopped_at),
        "resolution_state": resolution.state,
        "resolution_due_at": maybe_moment(resolution.due),
        "resolution_at": maybe_moment(resolution.stopped_at),
        "waits_since": maybe_moment(wait.word.key.at if wait else None),
        "next_due_at": maybe_moment(wait.due if wait else None),
        "soonest_at": maybe_moment(min(running, default=None)),
        "wake_at": maybe_moment(upcoming.next_change(case, response, resolution, now)),
    }


def _decide(ticket: Ticket, row: Reckoned, because: str) -> bool:
    """Append decisions that are new; tell of any that changed for no reason we know."""
    written = False
    for clock, reckoned in ((Clock.RESPONSE, row.response), (Clock.RESOLUTION, row.resolution)):
        rows = Outcome.objects.filter(ticket=ticket, clock=clock).order_by("-serial")
        last = rows.first()
        fresh = _outcome(ticket, clock, reckoned)
        if last is None and fresh.state == ClockState.IN_FLIGHT:
            continue
        if last is not None and _same(last, fresh):
            continue
        first = last is None or last.state == ClockState.IN_FLIGHT
        if not first and not because:
            DRIFT.inc()
            log.error("ticket %s: its %s came out otherwise; nothing written", ticket.pk, clock)
            continue
        fresh.serial = 1 if last is None else last.serial + 1
        fresh.because = "" if last is None else because
        fresh.save(force_insert=True)
        written = True
    return written


def _outcome(ticket: Ticket, clock: Clock, reckoned: outcome.Outcome) -> Outcome:
    return Outcome(
        ticket=ticket,
        clock=clock,
        state=reckoned.state,
        reason=reckoned.excluded.reason if reckoned.excluded else "",
        decided_at=maybe_moment(reckoned.decided_at),
        due_at=maybe_moment(reckoned.due) if reckoned.state != "in_flight" else None,
        counted_ms=reckoned.counted if reckoned.stopped_at is not None else None,
    )


def _same(one: Outcome, other: Outcome) -> bool:
    """The decision is the same; a breached clock may stop later, which decides nothing anew."""
    fields = ("state", "reason", "decided_at")
    return all(getattr(one, field) == getattr(other, field) for field in fields)


def _alarm(ticket: Ticket, row: Reckoned, now: datetime) -> bool:
    """One row for each share that was used up and each breach, once per due."""
    fresh = [alarm for alarm in _alarms(ticket, row) if alarm.at <= now]
    if not fresh:
        return False
    known = set(Alarm.objects.filter(ticket=ticket).values_list("clock", "percent", "due_at"))
    new = [alarm for alarm in fresh if (alarm.clock, alarm.percent, alarm.due_at) not in known]
    Alarm.objects.bulk_create(new, ignore_conflicts=True)
    return bool(new)


def _alarms(ticket: Ticket, row: Reckoned) -> Iterable[Alarm]:
    for clock, reckoned in ((Clock.RESPONSE, row.response), (Clock.RESOLUTION, row.resolution)):
        due = maybe_moment(reckoned.due)
        if due is None or reckoned.excluded is not None:
            continue
        if reckoned.state == "breached":
            yield Alarm(ticket=ticket, clock=clock, percent=BREACH, due_at=due, at=due)
        if reckoned.stopped_at is None or reckoned.state == "breached":
            for percent, at in zip(row.case.policy.warn_percent, reckoned.warn_at, strict=True):
                if at is not None:
                    yield Alarm(
                        ticket=ticket, clock=clock, percent=int(percent), due_at=due, at=moment(at)
                    )


def sweep(now: datetime, *, most: int = 200) -> int:
    """Settle tickets to which something has happened by itself; returns how many. Each stands in
    its own short transaction, so that one bad ticket keeps no other waiting."""
    due = Ticket.objects.filter(wake_at__lte=now).order_by("wake_at")
    numbers: Sequence[int] = list(due.values_list("pk", flat=True)[:most])
    for pk in numbers:
        try:
            with transaction.atomic():
                settle(pk, now)
        except Exception:
            log.exception("ticket %s could not be settled", pk)
            Ticket.objects.filter(pk=pk).update(wake_at=now + LATER)
    return len(numbers)
