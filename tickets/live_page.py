"""Puts live regions on a page: the same rows as the socket sends, and the version they had."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe

from fleet.access import PersonRequest
from fleet.live.region import Region
from fleet.live.rendering import Subscription, versions
from fleet.people.models import User


@dataclass(frozen=True, slots=True)
class Live:
    """One region on a page. `url` is where the page fetches its rows again."""

    region: Region
    key: str
    user: User
    url: str = ""

    @property
    def name(self) -> str:
        """`board`, or `node:17`."""
        return Subscription(self.region, self.key).name

    @property
    def rows(self) -> SafeString:
        """The rows one after the other; each was escaped by its own template."""
        return mark_safe("".join(self.region.render(self.user, self.key).rows.values()))  # noqa: S308


def subscriptions(lives: Iterable[Live]) -> str:
    """`board@12,fleet:strip@7`: what the socket asks for. Read before the rows are."""
    asked = [Subscription(live.region, live.key) for live in lives]
    now = versions({name for each in asked for name in each.bumps})
    return ",".join(f"{each.name}@{each.version(now)}" for each in asked)


def page(
    request: PersonRequest,
    template: str,
    lives: Iterable[Live],
    *,
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """Render a page that follows `lives`; they stand in the template in this order as `lives`."""
    shown = list(lives)
    frame = {"live_regions": subscriptions(shown), "lives": shown}
    return render(request, template, {**frame, **context}, status=status)
