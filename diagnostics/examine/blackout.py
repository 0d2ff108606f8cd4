"""Times when our own view failed: kept as rows, so that the desk can say so once."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.db import IntegrityError, transaction

from diagnostics.examine.models import Blackout
from diagnostics.examine.record import Outcome

US = "is_it_us"
# Two rounds of visits in which nothing had to be taken back: we see again.
QUIET = timedelta(seconds=120)


def is_held(outcome: Outcome) -> bool:
    """Whether complaints of this visit were taken back."""
    return any(reading.reason == US for reading in outcome.readings)


def open_blackout(simulated: bool) -> Blackout | None:
    """The one that lasts now."""
    return Blackout.objects.filter(simulated=simulated, cleared_at=None).first()


def note(outcomes: Iterable[Outcome], counts: dict[bool, tuple[int, int]]) -> None:
    """Open or prolong the blackouts of visits that were held. `counts` has, by world, how many
    hosts were silent and how many were asked. No query when nothing was held."""
    held: dict[bool, list[Outcome]] = {}
    for outcome in filter(is_held, outcomes):
        held.setdefault(outcome.plan.simulated, []).append(outcome)
    for world, rows in held.items():
        silent, asked = counts.get(world, (0, 0))
        first = min(rows, key=lambda row: row.ended_at)
        began = datetime.fromtimestamp(first.ended_at, UTC)
        until = datetime.fromtimestamp(max(row.ended_at for row in rows), UTC)
        _prolong(world, first.plan.node_id, began, until, silent=silent, asked=asked)


def _prolong(
    world: bool, node: int, began: datetime, until: datetime, *, silent: int, asked: int
) -> None:
    changes = {"held_at": until} | ({"silent": silent, "asked": asked} if asked else {})
    rows = Blackout.objects.filter(simulated=world, cleared_at=None)
    if rows.update(**changes):
        return
    try:
        with transaction.atomic():
            Blackout.objects.create(
                simulated=world,
                node_id=node,
                opened_at=began,
                held_at=until,
                silent=silent,
                asked=asked,
            )
    except IntegrityError:  # another examiner was quicker
        rows.update(**changes)


def end_quiet(now: datetime) -> int:
    """Close those for which nothing was held lately; returns how many."""
    quiet = Blackout.objects.filter(cleared_at=None, held_at__lt=now - QUIET)
    return quiet.update(cleared_at=now)
