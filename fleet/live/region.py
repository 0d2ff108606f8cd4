"""Live regions: named parts of a page with a version that grows when their facts change."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from django.contrib.auth.models import AnonymousUser
from django.db import connection, transaction

from fleet.live import wire
from fleet.people.models import User


@dataclass(frozen=True, slots=True)
class Rows:
    """A rendered region: row id → HTML, in order. Each HTML's outermost element has that id."""

    rows: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Region:
    """A kind of live region, such as `board` or `node`.

    A socket subscribes to `name` or `name:key`. `may_see(user, key)` is asked before every send;
    `audience(user, key)` names who may share one rendering; `render(user, key)` runs in the
    reader's language and zone. A rendering is also shared only within one density.
    """

    name: str
    may_see: Callable[[User | AnonymousUser, str], bool]
    audience: Callable[[User, str], str]
    render: Callable[[User, str], Rows]


def bump(*regions: str) -> None:
    """Tell pages, after the commit, that these regions changed: one statement for all of them.
    A bare name (`fleet`) reaches every key of that region (`fleet:page=2`) too.

    Never raises and never waits over 0.5 s for a broker that is away: the version in the database
    is what counts, and every web process compares it every few seconds. Call it once in a
    transaction, last, so that two transactions cannot wait for each other.
    """
    names = sorted(set(regions))
    if not names:
        return
    places = ", ".join(["(%s, 1)"] * len(names))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO fleet_liveversion (region, version) VALUES {places} "  # noqa: S608
            "ON CONFLICT (region) DO UPDATE SET version = fleet_liveversion.version + 1",
            names,
        )
    transaction.on_commit(partial(wire.publish, {"regions": names}), robust=True)
