"""Writes replay files in few words: times of one day, tickets of one customer."""

from tickets.sla import reading, writing
from tickets.sla.fields import Wrong

DAY = "2026-04-14"


def when(clock):
    """`10:05`, `10:05:30.250` on the day, or a whole instant, which stays as it is."""
    if len(clock) > len("10:05:30.250"):
        return clock
    return f"{DAY}T{clock}:00Z" if len(clock) == 5 else f"{DAY}T{clock}Z"


def event(clock, kind, **fields):
    """One event; fields that are times may be short."""
    for name in ("until", "logged_at", "starts_at"):
        if name in fields:
            fields[name] = when(fields[name])
    return {"at": when(clock), "kind": kind, **fields}


def reply(clock, **fields):
    """Staff write something."""
    return event(clock, "message", author="staff", text="We are on it.", **fields)


def word(clock, **fields):
    """The customer writes something."""
    return event(clock, "message", **{"author": "customer", "text": "Here it is."} | fields)


def ask(clock, reason="waiting_customer_info", **fields):
    """Staff ask something and pause."""
    return event(clock, "pause", **{"reason": reason, "text": "Which port?"} | fields)


def solve(clock, **fields):
    """Staff resolve."""
    return event(clock, "resolved", **{"text": "It works again."} | fields)


def ticket(*events, name="T1", start="10:00", **fields):
    """A ticket of class complex from the portal, made at `start`."""
    made = {"id": name, "customer": "acme", "class": "complex", "source": "portal"} | fields
    return made | {"events": [event(start, "created"), *events]}


def told(*tickets, now="23:00", **more):
    """The whole output."""
    return writing.answer(reading.read_file({"now": when(now), "tickets": list(tickets), **more}))


def one(*events, now="23:00", policies=None, incidents=None, **fields):
    """The output for one ticket."""
    more = {"policies": policies, "incidents": incidents}
    return told(ticket(*events, **fields), now=now, **more)["tickets"][0]


def many(*tickets, **more):
    """The outputs by id."""
    return {each["id"]: each for each in told(*tickets, **more)["tickets"]}


def wrong(file):
    """Where a file is wrong."""
    try:
        reading.read_file(file)
    except Wrong as error:
        return error.where
    return None


def policy(
    version=1, effective_at="2026-01-01T00:00:00Z", response=1800, resolution=7200, **fields
):
    """A version with one class, `complex`."""
    classes = {"complex": {"response_s": response, "resolution_s": resolution}}
    return {"version": version, "effective_at": effective_at, "classes": classes, **fields}
