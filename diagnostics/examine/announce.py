"""Tells the live pages, and whoever works on faults, what a batch of visits changed."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings

from diagnostics.examine.record import Outcome
from diagnostics.findings.rules import NODE, kin_of
from diagnostics.findings.settle import Settled
from fleet.live.region import bump
from fleet.nudge import nudge

FLEET_EVERY_S = 30.0  # ages on the fleet page move on even when no verdict changed
_fleet_bumped = [0.0]


@dataclass(frozen=True, slots=True)
class News:
    """A written visit, the targets whose verdict changed, and what became of its findings."""

    outcome: Outcome
    targets: Sequence[str]
    settled: Settled


def announce(news: Sequence[News]) -> None:
    """Bump the regions concerned; call it inside the transaction that wrote the visits."""
    names: set[str] = set()
    for each in news:
        names |= {f"node:{each.outcome.plan.node_id}", *_leases(each)}
    if any(each.settled.changed for each in news):
        names.add("board")
        nudge(settings.FACTS_TASK, 0, queue="clock")
    if news and (any(map(_verdict_changed, news)) or _fleet_is_old()):
        names.add("fleet")
        _fleet_bumped[0] = time.monotonic()
    if names:
        bump(*names)


def _verdict_changed(news: News) -> bool:
    before = news.outcome.plan.before
    return not before.examined or before.verdict != news.outcome.verdict or news.settled.changed


def _fleet_is_old() -> bool:
    return time.monotonic() - _fleet_bumped[0] >= FLEET_EVERY_S


def _leases(news: News) -> Iterable[str]:
    """`lease:` and `mine:` regions of the leases that something changed for."""
    plan = news.outcome.plan
    if not news.targets and not news.settled.orders:
        return
    changed = set(news.targets)
    for lease, members in kin_of(plan.expectation).items():
        order = lease.partition(":")[2]
        touched = order in news.settled.orders or changed & {NODE, lease, *members}
        if touched and order in plan.leases:
            yield f"lease:{plan.leases[order].pk}"
            yield f"mine:{plan.leases[order].customer}"
