"""Template tags that draw icons, clocks, ages and times; the wording is in fleet.people.formats."""

import json
from datetime import datetime
from functools import lru_cache

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from lucide.templatetags.lucide import lucide

from fleet.people import formats

register = template.Library()
register.filter("moment", formats.moment)
register.filter("moment_text", formats.moment_text)


@register.simple_tag
@lru_cache(maxsize=256)
def icon(name: str, css: str = "") -> SafeString:
    """An inline lucide icon, hidden from screen readers: the word beside it says the same."""
    # The names are ours, written in code; nothing of a reader's reaches this markup.
    look = {"class": f"icon {css}".strip(), "aria-hidden": "true"}
    return mark_safe(lucide(name, size=16, **look))  # noqa: S308


@register.simple_tag
def clock(since: datetime | None) -> SafeString | str:
    """A clock that ticks up from `since`."""
    return _ticking("clock", since, formats.clock)


@register.simple_tag
def ago(since: datetime | None) -> SafeString | str:
    """An age that grows: `3 min ago`."""
    return _ticking("ago", since, formats.ago)


@register.simple_tag
def left(until: datetime | None) -> SafeString | str:
    """Time left until a due, counting down; past it, with a minus, counting up and marked late."""
    if until is None:
        return formats.NOTHING
    seconds = (until - timezone.now()).total_seconds()
    return format_html(
        '<time class="tick tick-left{}" data-tick="left" data-since="{}"'
        ' datetime="{}" title="{}">{}</time>',
        " late" if seconds < 0 else "",
        int(until.timestamp() * 1000),
        until.isoformat(timespec="seconds"),
        formats.moment(until),
        formats.left(seconds),
    )


@register.simple_tag
def tick_words() -> str:
    """The wording ticks.js counts on with, as JSON for a data attribute."""
    return json.dumps(formats.tick_words(), ensure_ascii=False)


@register.simple_tag
def now_ms() -> int:
    """The server's time in milliseconds: browsers' own clocks are not trusted."""
    return int(timezone.now().timestamp() * 1000)


def _ticking(kind: str, since: datetime | None, say: "formats.Say") -> SafeString | str:
    if since is None:
        return formats.NOTHING
    return format_html(
        '<time class="tick tick-{0}" data-tick="{0}" data-since="{1}"'
        ' datetime="{2}" title="{3}">{4}</time>',
        kind,
        int(since.timestamp() * 1000),
        since.isoformat(timespec="seconds"),
        formats.moment(since),
        say((timezone.now() - since).total_seconds()),
    )
