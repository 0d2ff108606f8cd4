"""Live regions: named parts of a page with a version that grows when their facts change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from asgiref.sync import async_to_sync
from channels.layers import get_channel_layer
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import F

from fleet.live.models import LiveVersion
from fleet.people.models import User

GROUP = "live"


@dataclass(frozen=True, slots=True)
class Rows:
    """A rendered region: row id → HTML, in order. Each HTML's outermost element has that id."""

    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """A kind of live region, such as `board` or `node`.

    A socket subscribes to `name` or `name:key`. `may_see(user, key)` is asked before every send;
    `audience(user, key)` names who may share one rendering; `render(user, key)` runs in the
    reader's language, zone and density.
    """

    name: str
    may_see: Callable[[User | AnonymousUser, str], bool]
    audience: Callable[[User, str], str]
    render: Callable[[User, str], Rows]


def bump(*regions: str) -> None:
    """Tell pages, after the commit, that these regions changed. Never raises for a dead broker."""
    names = sorted(set(regions))
    for name in names:
        if not LiveVersion.objects.filter(region=name).update(version=F("version") + 1):
            LiveVersion.objects.get_or_create(region=name, defaults={"version": 1})
    transaction.on_commit(partial(_announce, names), robust=True)


def _announce(names: list[str]) -> None:
    layer = get_channel_layer()
    if layer is not None:
        async_to_sync(layer.group_send)(GROUP, {"type": "live.bump", "regions": names})
