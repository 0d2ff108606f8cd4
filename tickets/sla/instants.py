"""Instants as whole milliseconds since 1970 (UTC), and how files write them. Pure.

Milliseconds are whole numbers, so every sum and comparison of the clocks is exact.
"""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

SECOND = 1000
DAY = 86_400 * SECOND
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EPOCH_DAY = date(1970, 1, 1).toordinal()
_RFC3339 = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?"
    r"(?:[Zz]|([+-])(\d{2}):(\d{2}))",
    re.ASCII,
)


def read(text: str) -> int:
    """The instant of an RFC 3339 text with seconds and an offset; fractions are cut to 1 ms.

    Raises ValueError with a sentence.
    """
    found = _RFC3339.fullmatch(text)
    if found is None:
        raise ValueError("is no instant such as 2026-04-14T10:00:00Z: date, time and offset")
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    fraction, sign, ahead_hours, ahead_minutes = found.groups()[6:]
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError("names a time of day that does not exist")
    try:
        days = date(year, month, day).toordinal() - _EPOCH_DAY
    except ValueError:
        raise ValueError("names a date that does not exist") from None
    local = days * DAY + ((hour * 60 + minute) * 60 + second) * SECOND
    local += int((fraction or "0")[:3].ljust(3, "0"))
    if not sign:
        return local
    if int(ahead_hours) > 23 or int(ahead_minutes) > 59:
        raise ValueError("has an offset that does not exist")
    ahead = (int(ahead_hours) * 60 + int(ahead_minutes)) * 60 * SECOND
    return local + ahead if sign == "-" else local - ahead


def say(instant: int) -> str:
    """`instant` in UTC with `Z`; milliseconds only where there are some."""
    days, rest = divmod(instant, DAY)
    seconds, thousandths = divmod(rest, SECOND)
    hours, seconds = divmod(seconds, 3600)
    minutes, seconds = divmod(seconds, 60)
    fraction = f".{thousandths:03d}" if thousandths else ""
    return f"{_day(days)}T{hours:02d}:{minutes:02d}:{seconds:02d}{fraction}Z"


def _day(days: int) -> str:
    """The date of a day since 1970, in the Gregorian calendar without end in either direction."""
    cycles, rest = divmod(days + _EPOCH_DAY - 1, 146_097)  # days in 400 years
    within = date.fromordinal(rest + 1)
    return f"{within.year + 400 * cycles:04d}-{within.month:02d}-{within.day:02d}"


def seconds(duration: int) -> int | float:
    """A duration in seconds: whole if it is, else with at most three decimals."""
    return duration // SECOND if duration % SECOND == 0 else duration / SECOND


def at_local(day: date, minute: int, zone: ZoneInfo) -> int:
    """The instant at which clocks of `zone` show this minute of the day (0 to 1440).

    A minute that comes twice is its first pass; one that is skipped is taken with the offset from
    before the change.
    """
    days, minute = divmod(minute, 24 * 60)
    if days and day == date.max:
        naive = datetime.max
    else:
        naive = datetime(day.year, day.month, day.day) + timedelta(days=days, minutes=minute)
    offset = naive.replace(tzinfo=zone).utcoffset() or timedelta()
    return (naive - _EPOCH.replace(tzinfo=None) - offset) // timedelta(milliseconds=1)


def local_date(instant: int, zone: ZoneInfo) -> date:
    """The date that clocks of `zone` show at `instant`; beyond the calendar, its first or last."""
    edge = DAY  # zones differ by less
    if instant < read("0001-01-01T00:00:00Z") + edge:
        return date.min
    if instant > read("9999-12-31T00:00:00Z") - edge:
        return date.max
    return (_EPOCH + timedelta(milliseconds=instant)).astimezone(zone).date()
