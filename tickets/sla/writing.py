"""Writes what a replay came to, as its file format says. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any
from zoneinfo import ZoneInfo

from tickets.sla import conversation, instants
from tickets.sla.attribution import Block
from tickets.sla.case import Case, Refusal
from tickets.sla.events import Incident, Ticket
from tickets.sla.incident import Course
from tickets.sla.outcome import Outcome, first_counted, is_proactive, is_sticky, state_of
from tickets.sla.reading import File
from tickets.sla.replay import Figures, Reckoned, Replayed, Report, courses, replay, report
from tickets.sla.walk import receipt

UTC = ZoneInfo("UTC")
NO_CLOCK: Mapping[str, Any] = {
    "state": "none",
    "seconds": None,
    "stopped_at": None,
    "due": None,
    "decided_at": None,
    "breached_at": None,
    "warn_at": [],
    "automated": False,
    "excluded_reason": None,
    "period": None,
}
NO_RESPONSE = {**NO_CLOCK, "proactive": False}
NO_RESOLUTION = {
    **NO_CLOCK,
    "wall_seconds": None,
    "paused_seconds": None,
    "first_seconds": None,
    "resolved_reason": None,
    "sticky": False,
}


def answer(file: File) -> dict[str, Any]:
    """The whole output for one file."""
    done = replay(file.tickets, file.incidents or (), file.policies, file.now)
    zone = file.report.zone if file.report else UTC
    told: dict[str, Any] = {
        "now": instants.say(file.now),
        "tickets": [_ticket(ticket, done, zone) for ticket in file.tickets],
    }
    if file.incidents is not None:
        told["incidents"] = [_incident(each, went) for each, went in courses(file)]
    if file.report is not None:
        told["report"] = _report(report(file, file.report, done))
    return told


def _ticket(ticket: Ticket, done: Replayed, zone: ZoneInfo) -> dict[str, Any]:
    row = done.found.get(ticket.id)
    if row is None:
        return _nothing_yet(ticket)
    case, original = row.case, done.original.get(ticket.id)
    out = row.resolution.excluded or row.response.excluded
    flags = set(case.flags)
    tta = _acknowledgement(case, done.now, flags)
    if row.response.negative or row.resolution.negative:
        flags.add("negative_duration")
    if row.response.kept or row.resolution.kept:
        flags.add("merge_breach")
    return {
        "id": ticket.id,
        "state": state_of(case, done.now),
        "class": case.klass,
        "policy_version": case.policy.version,
        "start": instants.say(case.start),
        **_clocks(row, zone),
        "next_response": [_wait(wait) for wait in conversation.waits(case, done.now)],
        "tta_seconds": _seconds(tta),
        "excluded_reason": out.reason if out else None,
        "original": _original(original, zone) if original and "corrected" in flags else None,
        "flags": sorted(flags),
        "refused": _refused(case.refused),
    }


def _nothing_yet(ticket: Ticket) -> dict[str, Any]:
    return {
        "id": ticket.id,
        "state": "none",
        "class": ticket.klass,
        "policy_version": None,
        "start": None,
        "response": dict(NO_RESPONSE),
        "resolution": dict(NO_RESOLUTION),
        "next_response": [],
        "tta_seconds": None,
        "excluded_reason": None,
        "original": None,
        "flags": [],
        "refused": [],
    }


def _acknowledgement(case: Case, now: int, flags: set[str]) -> int | None:
    received = receipt(case.ticket, now)
    if received is None or case.acknowledged_at is None:
        return None
    if case.acknowledged_at < received:
        flags.add("negative_duration")
    return max(case.acknowledged_at - received, 0)


def _original(row: Reckoned, zone: ZoneInfo) -> dict[str, Any]:
    return {"class": row.case.klass, **_clocks(row, zone)}


def _clocks(row: Reckoned, zone: ZoneInfo) -> dict[str, Any]:
    case, resolution = row.case, row.resolution
    counted = resolution.counted is not None
    end = max(resolution.end or case.start, case.start)
    return {
        "response": {**_clock(row.response, zone), "proactive": is_proactive(case, row.response)},
        "resolution": {
            **_clock(resolution, zone),
            "wall_seconds": _seconds(end - case.start) if counted else None,
            "paused_seconds": _seconds(resolution.cut) if counted else None,
            "first_seconds": _seconds(first_counted(case, resolution)),
            "resolved_reason": case.rest.reason if case.rest else None,
            "sticky": is_sticky(case, resolution),
        },
    }


def _clock(outcome: Outcome, zone: ZoneInfo) -> dict[str, Any]:
    return {
        "state": outcome.state,
        "seconds": _seconds(outcome.counted),
        "stopped_at": _instant(outcome.stopped_at),
        "due": _instant(outcome.due),
        "decided_at": _instant(outcome.decided_at),
        "breached_at": _instant(outcome.breached_at),
        "warn_at": [_instant(at) for at in outcome.warn_at],
        "automated": outcome.automated,
        "excluded_reason": outcome.excluded.reason if outcome.excluded else None,
        "period": _month(outcome.decided_at, zone),
    }


def _month(at: int | None, zone: ZoneInfo) -> str | None:
    return None if at is None else instants.local_date(at, zone).isoformat()[:7]


def _wait(wait: conversation.Wait) -> dict[str, Any]:
    return {
        "started_at": instants.say(wait.word.key.at),
        "stopped_at": _instant(wait.stop),
        "due": _instant(wait.due),
        "seconds": _seconds(wait.seconds),
        "breached": wait.breached,
    }


def _refused(refusals: Iterable[Refusal]) -> list[dict[str, Any]]:
    rows = sorted(
        refusals,
        key=lambda each: (each.event.at, each.event.id or "", each.event.kind, each.reason),
    )
    return [
        {
            "id": each.event.id,
            "kind": each.event.kind,
            "at": instants.say(each.event.at),
            "reason": each.reason,
        }
        for each in rows
    ]


def _incident(incident: Incident, went: Course) -> dict[str, Any]:
    durations = {
        "detection_seconds": went.since(went.fault_at, went.received_at),
        "tta_seconds": went.since(went.received_at, went.acknowledged_at),
        "restore_seconds": None if went.open else went.since(went.fault_at, went.recovered_at),
    }
    return {
        "id": incident.id,
        **{name: _seconds(value) for name, value in durations.items()},
        "episodes": went.episodes,
        "repeats": went.repeats,
        "open": went.open,
        "flags": sorted(went.flags),
        "refused": _refused(went.refused),
    }


def _report(made: Report) -> dict[str, Any]:
    period = made.period
    return {
        "from": instants.say(period.begin),
        "to": instants.say(period.end),
        "seconds": _seconds(period.end - period.begin),
        "zone": made.asked.zone.key,
        "status": "frozen" if made.frozen else "provisional",
        "as_of": instants.say(period.as_of),
        "response": _figures(made.response),
        "resolution": _figures(made.resolution),
    }


def _figures(figures: Figures) -> dict[str, Any]:
    return {
        "overall": _block(figures.overall),
        "classes": {name: _block(block) for name, block in figures.classes.items()},
        "customers": {name: _block(block) for name, block in figures.customers.items()},
    }


def _block(block: Block) -> dict[str, Any]:
    return {
        "met": block.met,
        "breached": block.breached,
        "n": block.n,
        "automated": block.automated,
        "attainment": block.attainment,
        "excluded": dict(sorted(block.excluded.items())),
        "in_flight": block.in_flight,
        "stopped": len(block.stopped),
        **{f"p{percent}": _seconds(block.percentile(percent)) for percent in (50, 90, 95)},
        "max": _seconds(block.stopped[-1] if block.stopped else None),
        "small_sample": block.small_sample,
        "open_breached": [
            {"ticket": ticket, "seconds": _seconds(so_far)}
            for ticket, so_far in block.open_breached
        ],
    }


def _seconds(duration: int | None) -> int | float | None:
    return None if duration is None else instants.seconds(duration)


def _instant(at: int | None) -> str | None:
    return None if at is None else instants.say(at)
