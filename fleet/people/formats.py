"""How times, ages and numbers are written for the reader's language and zone (GLOSSARY)."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

Say = Callable[[float], str]
NOTHING = "–"
MINUTE, HOUR, DAY = 60, 3600, 86400


def clock(seconds: float) -> str:
    """A running clock: `04:32`, `1:02:05`, from two days on `2 d 3 h`. Never negative."""
    whole = max(0, int(seconds))
    if whole >= 2 * DAY:
        return _("%(days)d d %(hours)d h") % {"days": whole // DAY, "hours": whole % DAY // HOUR}
    hours, minutes, rest = whole // HOUR, whole % HOUR // MINUTE, whole % MINUTE
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes:02d}:{rest:02d}"


def left(seconds: float) -> str:
    """Time left: `12:34`; past the due `−02:10`."""
    return f"\u2212{clock(-seconds)}" if seconds < 0 else clock(seconds)


def ago(seconds: float) -> str:
    """An age in its largest unit: `45 s ago`, `3 min ago`, `2 h ago`, `5 d ago`."""
    whole = max(0, int(seconds))
    if whole < MINUTE:
        return _("%(n)d s ago") % {"n": whole}
    if whole < HOUR:
        return _("%(n)d min ago") % {"n": whole // MINUTE}
    if whole < 2 * DAY:
        return _("%(n)d h ago") % {"n": whole // HOUR}
    return _("%(n)d d ago") % {"n": whole // DAY}


def tick_words() -> dict[str, str]:
    """The same wording for the browser, which counts on by itself (static/js/ticks.js)."""
    return {
        "dh": _("%(days)d d %(hours)d h"),
        "s": _("%(n)d s ago"),
        "min": _("%(n)d min ago"),
        "h": _("%(n)d h ago"),
        "d": _("%(n)d d ago"),
    }


def moment(at: datetime | None) -> str:
    """For tables: `2026-11-30 02:16` in the reader's zone."""
    return timezone.localtime(at).strftime("%Y-%m-%d %H:%M") if at else NOTHING


def moment_text(at: datetime | None) -> str:
    """For text: `30 Nov 2026, 02:16` or `2026年11月30日 02:16` in the reader's zone."""
    # Translators: Django date format of a date and time inside a sentence.
    return date_format(timezone.localtime(at), _("j M Y, H:i")) if at else NOTHING


def number(value: float | None, unit: str = "", digits: int = 0) -> str:
    """`1,234.5 W`; a value without reading is a dash, never 0."""
    if value is None:
        return NOTHING
    written = f"{value:,.{digits}f}"
    if unit == "%":
        return _("%(number)s %%") % {"number": written}
    return f"{written} {unit}" if unit else written


def zone_label(name: str) -> str:
    """`Beijing time (UTC+8)`: a zone with its distance from UTC now."""
    offset = timezone.localtime(timezone.now(), ZoneInfo(name)).utcoffset()
    minutes = int(offset.total_seconds() // MINUTE) if offset else 0
    hours, rest = divmod(abs(minutes), 60)
    distance = f"{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02d}" if rest else "")
    city = _("Beijing time") if name == "Asia/Shanghai" else name.replace("_", " ")
    return _("%(zone)s (UTC%(distance)s)") % {"zone": city, "distance": distance}
