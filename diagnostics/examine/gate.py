"""Is it us? When most of the fleet stops answering at once, no node is accused."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from diagnostics.examine import blackout
from diagnostics.examine.models import Examination
from diagnostics.examine.record import Outcome
from diagnostics.examine.visit import UNREACHABLE, is_it_us
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState

WINDOW = timedelta(seconds=20)
AT_LEAST = 6
SHARE = 0.5
# Once our view has failed, a whole round is looked at, and fewer silent hosts keep it so: half a
# fleet behind a broken line gives a share that sways around a half.
ROUND = timedelta(seconds=75)
STILL = 0.3


def hold_if_it_is_us(outcomes: list[Outcome]) -> list[Outcome]:
    """Take the complaints of unreachable nodes back when too many fell silent together.

    Asks the database only when a node of the batch is unreachable. The two worlds (real and
    simulated) are counted apart; nodes known to be out for longer are not counted. What is taken
    back is remembered as a blackout.
    """
    silent = [outcome for outcome in outcomes if outcome.reached == UNREACHABLE]
    worlds = {outcome.plan.simulated for outcome in silent}
    counts = {world: _count(outcomes, world) for world in worlds}
    held = {world: found for world, found in counts.items() if found is not None}
    rows = [
        is_it_us(outcome)
        if outcome.reached == UNREACHABLE and outcome.plan.simulated in held
        else outcome
        for outcome in outcomes
    ]
    blackout.note(rows, held)
    return rows


def _count(outcomes: Sequence[Outcome], simulated: bool) -> tuple[int, int] | None:
    """How many of how many nodes are silent, or None if that is no reason to doubt ourselves."""
    lasts = blackout.open_blackout(simulated)
    window, share = (WINDOW, SHARE) if lasts is None else (ROUND, STILL)
    now = datetime.fromtimestamp(min(each.ended_at for each in outcomes), UTC)
    since = now - window
    out = Finding.objects.filter(
        state=FindingState.OPEN,
        code="node_unreachable",
        opened_at__lt=since if lasts is None else min(since, lasts.opened_at - WINDOW),
    )
    recent = Examination.objects.filter(
        ended_at__gte=since, node__provider__simulated=simulated
    ).order_by("ended_at")
    reached = dict(recent.values_list("node", "reached"))
    reached |= {
        each.plan.node_id: each.reached for each in outcomes if each.plan.simulated == simulated
    }
    for node in out.values_list("node", flat=True):
        reached.pop(node, None)
    silent = sum(word == UNREACHABLE for word in reached.values())
    many = len(reached) >= AT_LEAST and silent >= share * len(reached)
    return (silent, len(reached)) if many else None
