"""Is it us? When most of the fleet stops answering at once, no node is accused."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from diagnostics.examine.models import Examination
from diagnostics.examine.record import Outcome
from diagnostics.examine.visit import UNREACHABLE, is_it_us
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState

WINDOW = timedelta(seconds=20)
AT_LEAST = 6
SHARE = 0.5


def hold_if_it_is_us(outcomes: list[Outcome]) -> list[Outcome]:
    """Take the complaints of unreachable nodes back when too many fell silent together.

    Asks the database only when a node of the batch is unreachable. The two worlds (real and
    simulated) are counted apart; nodes known to be out for longer are not counted.
    """
    silent = [outcome for outcome in outcomes if outcome.reached == UNREACHABLE]
    worlds = {outcome.plan.simulated for outcome in silent}
    held = {world for world in worlds if _too_many(outcomes, world)}
    return [
        is_it_us(outcome)
        if outcome.reached == UNREACHABLE and outcome.plan.simulated in held
        else outcome
        for outcome in outcomes
    ]


def _too_many(outcomes: Sequence[Outcome], simulated: bool) -> bool:
    since = datetime.fromtimestamp(min(each.ended_at for each in outcomes), UTC) - WINDOW
    out = Finding.objects.filter(
        state=FindingState.OPEN, code="node_unreachable", opened_at__lt=since
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
    return len(reached) >= AT_LEAST and silent > SHARE * len(reached)
