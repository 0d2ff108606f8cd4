"""Reads the versions of a policy and their calendars from a replay file. Pure."""

import re
from collections.abc import Mapping
from datetime import date
from fractions import Fraction
from functools import cache
from zoneinfo import ZoneInfo

from tickets.sla.calendar import ALWAYS, WEEKDAYS, Hours, Minutes, union
from tickets.sla.fields import Fields, Wrong, items, local_date, whole
from tickets.sla.instants import SECOND
from tickets.sla.policy import DEFAULT, Policy, Target

LONGEST_S = 10**10  # some three centuries: longer targets are mistakes
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00", re.ASCII)


def read_policy(fields: Fields) -> Policy:
    """One version. What is absent has the default policy's value."""
    return Policy(
        version=whole(fields.need("version"), fields.at("version"), least=-(2**63)),
        effective_at=fields.instant("effective_at"),
        classes=_classes(fields),
        hours=_hours(fields),
        next_response=_seconds(fields, "next_response_s", DEFAULT.next_response, least=1),
        reopen=_seconds(fields, "reopen_s", DEFAULT.reopen),
        no_reply=_seconds(fields, "no_reply_s", DEFAULT.no_reply),
        flap=_seconds(fields, "flap_s", DEFAULT.flap),
        backdate=_seconds(fields, "backdate_s", DEFAULT.backdate),
        provisional=_seconds(fields, "provisional_s", DEFAULT.provisional),
        warn_percent=_percents(fields),
    )


def _seconds(fields: Fields, name: str, default: int, *, least: int = 0) -> int:
    return fields.whole(name, least=least, most=LONGEST_S, default=default // SECOND) * SECOND


def _percents(fields: Fields) -> tuple[Fraction, ...]:
    if fields.get("warn_percent") is None:
        return DEFAULT.warn_percent
    return tuple(_percent(value, where) for where, value in fields.listed("warn_percent"))


def _percent(value: object, where: str) -> Fraction:
    """A share as it is written: 33.3 is 333 of 1000."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise Wrong(where, "must be a number")
    if not 0 < value <= LONGEST_S:
        raise Wrong(where, "must be more than 0")
    return Fraction(str(value))


def _classes(fields: Fields) -> Mapping[str, Target]:
    value = fields.get("classes")
    if value is None:
        return DEFAULT.classes
    classes = Fields.of(value, fields.at("classes"))
    return {
        name: _target(Fields.of(classes.get(name), classes.at(name))) for name in classes.values
    }


def _target(fields: Fields) -> Target:
    return Target(
        response=fields.whole("response_s", least=1, most=LONGEST_S) * SECOND,
        resolution=fields.whole("resolution_s", least=1, most=LONGEST_S) * SECOND,
        self_service=fields.flag("self_service", False),
    )


def _hours(fields: Fields) -> Hours:
    value = fields.get("calendar")
    if value is None or value == "24x7":
        return ALWAYS
    if isinstance(value, str):
        raise Wrong(fields.at("calendar"), f'{value!r} is neither "24x7" nor an object')
    calendar = Fields.of(value, fields.at("calendar"))
    zone = read_zone(calendar, "zone")
    hours = Fields.of(calendar.need("hours"), calendar.at("hours"))
    for day in hours.values:
        if day not in WEEKDAYS:
            raise Wrong(hours.at(day), f"is no weekday: {', '.join(WEEKDAYS)}")
    holidays = (local_date(day, where) for where, day in calendar.listed("holidays", ()))
    return Hours(
        zone=zone,
        weekly=tuple(_minutes(hours, day) for day in WEEKDAYS),
        holidays=frozenset(holidays),
        open_days=_open_days(calendar),
    )


def _open_days(calendar: Fields) -> dict[date, Minutes]:
    value = calendar.get("open_days")
    if value is None:
        return {}
    days = Fields.of(value, calendar.at("open_days"))
    return {local_date(day, days.at(day)): _minutes(days, day) for day in days.values}


def _minutes(hours: Fields, day: str) -> Minutes:
    return tuple(union(_span(value, where) for where, value in hours.listed(day, ())))


def _span(value: object, where: str) -> tuple[int, int]:
    edges = [_minute(edge, place) for place, edge in items(value, where)]
    if len(edges) != 2:
        raise Wrong(where, 'must be two times of day such as ["09:00", "18:00"]')
    if edges[1] <= edges[0]:
        raise Wrong(where, "ends before it begins")
    return edges[0], edges[1]


def _minute(value: object, where: str) -> int:
    if not isinstance(value, str) or _CLOCK.fullmatch(value) is None:
        raise Wrong(where, f"{value!r} is no time of day such as 09:00")
    return int(value[:2]) * 60 + int(value[3:])


def read_zone(fields: Fields, name: str) -> ZoneInfo:
    """An IANA time zone."""
    text = fields.text(name)
    zone = _zone(text)
    if zone is None:
        raise Wrong(fields.at(name), f"{text!r} is no time zone")
    return zone


@cache
def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return None
