"""Puts tickets through their clocks, as of an instant, and counts what a period came to. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tickets.sla import attribution, incident, instants
from tickets.sla.attribution import Block, Counted, Period
from tickets.sla.case import Case
from tickets.sla.events import Incident, Ticket
from tickets.sla.outcome import Outcome, resolution_outcome, response_outcome
from tickets.sla.policy import Policy
from tickets.sla.reading import Asked, File
from tickets.sla.walk import walk

FREEZE = 3 * instants.DAY  # a report may change for so long after its period


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A ticket with its two clocks."""

    case: Case
    response: Outcome
    resolution: Outcome


@dataclass(frozen=True, slots=True)
class Replayed:
    """All tickets as of `now`; `original` are those of groups with a correction, without any."""

    now: int
    found: Mapping[str, Reckoned]
    original: Mapping[str, Reckoned]


@dataclass(frozen=True, slots=True)
class Figures:
    """The blocks of one clock."""

    overall: Block
    classes: Mapping[str, Block]
    customers: Mapping[str, Block]


@dataclass(frozen=True, slots=True)
class Report:
    """What a period came to; `frozen` when nothing changes it any more."""

    asked: Asked
    period: Period
    frozen: bool
    response: Figures
    resolution: Figures


def replay(
    tickets: Sequence[Ticket],
    incidents: Sequence[Incident],
    policies: Sequence[Policy],
    now: int,
    *,
    originals: bool = True,
) -> Replayed:
    """Every ticket that exists at `now`, by id."""
    known = frozenset(ticket.id for ticket in tickets)
    shared = {each.id: each for each in incidents}
    found: dict[str, Reckoned] = {}
    original: dict[str, Reckoned] = {}
    for group in _groups(tickets):
        cases = walk(group, shared, policies, now, known=known)
        found |= _reckon(cases, now)
        if originals and any("corrected" in case.flags for case in cases.values()):
            uncorrected = walk(group, shared, policies, now, known=known, correct=False)
            original |= _reckon(uncorrected, now)
    return Replayed(now, found, original)


def _reckon(cases: Mapping[str, Case], now: int) -> dict[str, Reckoned]:
    return {
        name: Reckoned(case, response_outcome(case, now), resolution_outcome(case, now))
        for name, case in cases.items()
    }


def _groups(tickets: Sequence[Ticket]) -> list[list[Ticket]]:
    """Tickets that a merge may join stand together; every other one alone."""
    leader = {ticket.id: ticket.id for ticket in tickets}

    def lead(name: str) -> str:
        while leader[name] != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for ticket in tickets:
        for event in ticket.events:
            if event.kind == "merged_into" and event.target in leader:
                leader[lead(ticket.id)] = lead(event.target)
    groups: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        groups.setdefault(lead(ticket.id), []).append(ticket)
    return list(groups.values())


def report(file: File, asked: Asked, done: Replayed) -> Report:
    """The report, from a replay as of the earlier of now and three days after the period."""
    begin = instants.at_local(asked.begin, 0, asked.zone)
    end = instants.at_local(asked.end, 0, asked.zone)
    as_of = min(file.now, end + FREEZE)
    if as_of != done.now:
        done = replay(file.tickets, file.incidents or (), file.policies, as_of, originals=False)
    period = Period(begin, end, as_of)
    rows = [row for row in done.found.values() if row.case.start <= as_of]
    return Report(
        asked=asked,
        period=period,
        frozen=file.now >= end + FREEZE,
        response=figures([_counted(row, row.response) for row in rows], period),
        resolution=figures([_counted(row, row.resolution) for row in rows], period),
    )


def _counted(row: Reckoned, outcome: Outcome) -> Counted:
    case = row.case
    return Counted(case.ticket.id, case.ticket.customer, case.klass, case.start, outcome)


def figures(clocks: Sequence[Counted], period: Period) -> Figures:
    """One clock of all tickets, overall, by class and by customer."""
    classes: dict[str, list[Counted]] = {}
    customers: dict[str, list[Counted]] = {}
    for clock in clocks:
        classes.setdefault(clock.klass, []).append(clock)
        customers.setdefault(clock.customer, []).append(clock)
    return Figures(
        overall=attribution.block(clocks, period),
        classes={name: attribution.block(part, period) for name, part in sorted(classes.items())},
        customers={
            name: attribution.block(part, period) for name, part in sorted(customers.items())
        },
    )


def courses(file: File) -> list[tuple[Incident, incident.Course]]:
    """How each incident went."""
    return [(each, incident.course(each, file.policies, file.now)) for each in file.incidents or ()]
