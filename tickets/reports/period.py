"""The month of a report: local dates of the contract's zone, each midnight by its own offset."""

import re
from dataclasses import dataclass
from datetime import date, datetime
from zoneinfo import ZoneInfo, available_timezones

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from tickets.cases.facts import moment
from tickets.policies.terms import instant
from tickets.sla import instants
from tickets.sla.attribution import Period
from tickets.sla.replay import FREEZE

MONTH = re.compile(r"(20\d\d)-(0[1-9]|1[0-2])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Month:
    """A month in a zone, as of an instant. Frozen three days after its end: nothing changes it."""

    name: str
    zone: ZoneInfo
    period: Period
    frozen: bool

    @property
    def begin(self) -> datetime:
        """Its first moment."""
        return moment(self.period.begin)

    @property
    def end(self) -> datetime:
        """The first moment after it."""
        return moment(self.period.end)

    @property
    def as_of(self) -> datetime:
        """Until when facts count."""
        return moment(self.period.as_of)


def month(name: str, zone: str, now: datetime) -> Month:
    """`2026-04` in a zone. Raises Refused for what is no month."""
    found = MONTH.fullmatch(name)
    if found is None:
        raise Refused({"month": _("A month is written like 2026-04.")})
    if zone not in available_timezones():
        raise Refused({"zone": _("There is no time zone of this name.")})
    year, number = int(found[1]), int(found[2])
    following = date(year + number // 12, number % 12 + 1, 1)
    place = ZoneInfo(zone)
    begin = instants.at_local(date(year, number, 1), 0, place)
    end = instants.at_local(following, 0, place)
    period = Period(begin, end, min(instant(now), end + FREEZE))
    return Month(name, place, period, instant(now) >= end + FREEZE)


def this_month(zone: str, now: datetime) -> str:
    """The month of `now` in a zone."""
    return now.astimezone(ZoneInfo(zone)).strftime("%Y-%m")


def neighbours(name: str) -> tuple[str, str]:
    """The months before and after."""
    year, number = int(name[:4]), int(name[5:])
    count = year * 12 + number - 1
    return tuple(f"{n // 12:04d}-{n % 12 + 1:02d}" for n in (count - 1, count + 1))  # type: ignore[return-value]
