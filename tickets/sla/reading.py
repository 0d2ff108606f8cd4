"""Reads a replay file: every wrong value is named with where it stands. Pure."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from tickets.sla.events import INCIDENT_KINDS, SOURCES, TICKET_KINDS, Event, Incident, Ticket
from tickets.sla.fields import Fields, Wrong
from tickets.sla.policy import DEFAULT, Policy, in_force
from tickets.sla.reading_events import read_event
from tickets.sla.reading_policies import read_policy, read_zone
from tickets.sla.standing import start_of

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Asked:
    """A report: local dates, half open, and the zone they are dates of."""

    begin: date
    end: date
    zone: ZoneInfo


@dataclass(frozen=True, slots=True)
class File:
    """A replay file as it is meant."""

    now: int
    tickets: tuple[Ticket, ...]
    policies: tuple[Policy, ...]
    incidents: tuple[Incident, ...] | None
    report: Asked | None


def read_file(value: object) -> File:
    """The file. Raises Wrong."""
    fields = Fields.of(value, "")
    now = fields.instant("now")
    policies = _unique(fields.listed("policies", ()), read_policy, "version")
    versions = (DEFAULT,) if fields.get("policies") is None else tuple(policies)
    incidents = fields.get("incidents")
    read = None
    if incidents is not None:
        read = tuple(_unique(fields.listed("incidents"), _incident, "id"))
    tickets = _unique(fields.listed("tickets"), _ticket, "id")
    for place, ticket in enumerate(tickets):
        _check_standing(ticket, versions, f"tickets[{place}]")
    asked = fields.get("report")
    report = None if asked is None else _report(Fields.of(asked, "report"))
    return File(now, tuple(tickets), versions, read, report)


def _unique(parts: Sequence[tuple[str, object]], read: Callable[[Fields], T], name: str) -> list[T]:
    found: list[T] = []
    seen: set[Hashable] = set()
    for where, value in parts:
        fields = Fields.of(value, where)
        found.append(read(fields))
        ident = fields.get(name)
        if ident in seen:
            raise Wrong(f"{where}.{name}", f"{ident!r} is used twice")
        seen.add(ident)
    return found


def _ticket(fields: Fields) -> Ticket:
    source = fields.one_of("source", SOURCES)
    return Ticket(
        id=fields.text("id"),
        customer=fields.text("customer"),
        klass=fields.text("class"),
        source=source,
        has_portal_login=fields.flag("has_portal_login", True),
        parent=fields.maybe_text("parent"),
        events=_events(fields, TICKET_KINDS),
    )


def _incident(fields: Fields) -> Incident:
    return Incident(id=fields.text("id"), events=_events(fields, INCIDENT_KINDS))


def _events(fields: Fields, kinds: frozenset[str]) -> tuple[Event, ...]:
    found: list[Event] = []
    named: dict[str, Event] = {}
    for where, value in fields.listed("events"):
        event = read_event(Fields.of(value, where), kinds)
        if event.id is None:
            found.append(event)
        elif event.id not in named:
            named[event.id] = event
            found.append(event)
        elif named[event.id] != event:
            raise Wrong(f"{where}.id", f"{event.id!r} is used for two different events")
    return tuple(found)


def _check_standing(ticket: Ticket, policies: Sequence[Policy], where: str) -> None:
    start = start_of(ticket, ticket.events)
    if start is None:
        raise Wrong(f"{where}.events", "has no event of kind created")
    policy = in_force(policies, start)
    if policy is None:
        raise Wrong(where, "no policy version is in force at its start")
    if ticket.klass not in policy.classes:
        raise Wrong(f"{where}.class", f"{ticket.klass!r} is no class of the policy in force")


def _report(fields: Fields) -> Asked:
    begin, end = fields.date("from"), fields.date("to")
    zone = read_zone(fields, "zone")
    if end <= begin:
        raise Wrong("report.to", "a report ends after it begins")
    return Asked(begin, end, zone)


def cases_of(value: object) -> list[tuple[str, object]] | None:
    """Name and input of each case of a batch; None if the file is no batch. Raises Wrong."""
    if not isinstance(value, Mapping) or "cases" not in value:
        return None
    found = []
    for where, case in Fields.of(value, "").listed("cases"):
        fields = Fields.of(case, where)
        found.append((fields.text("name"), fields.get("input")))
    return found


def plain(value: Any) -> Any:
    """What a JSON reader must not accept as a number."""
    raise ValueError(f"{value} is no number")
