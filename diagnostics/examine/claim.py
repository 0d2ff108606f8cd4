"""Takes due nodes by one conditional UPDATE, so that no two examiners visit one node at once."""

import secrets
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from diagnostics.examine.models import SHARDS, VisitRequest, Watch
from diagnostics.examine.record import CLAIM_S, PERIOD_S
from diagnostics.examine.states import VisitState
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState

VISITED = (NodeState.ACTIVE, NodeState.QUARANTINED)
OVERDUE_S = 30.0  # any examiner may take a shard this late
REQUEST_WAIT_S = 10.0  # and a requested visit this old
EARLY_S = 2.0  # ticks come every 5 s; a node due just after one is not kept for the next
FIRST_PER_S = 4.0  # new nodes are spread over as long as their number needs, one period at most


@dataclass(frozen=True, slots=True)
class Shards:
    """Which shards an examiner looks after first: examiner `index` of `count`."""

    index: int
    count: int

    def own(self) -> list[int]:
        return [shard for shard in range(SHARDS) if shard % self.count == self.index % self.count]


def shards(examiner: int) -> Shards:
    """The shards of examiner number `examiner` of this installation."""
    return Shards(index=examiner, count=max(int(settings.EXAMINERS), 1))


def watch_new_nodes(now: datetime) -> int:
    """Insert the Watch rows that nodes in service lack; returns how many."""
    missing = list(
        Node.objects.filter(state__in=VISITED, watch__isnull=True).values_list("pk", flat=True)
    )
    window = min(len(missing) / FIRST_PER_S, PERIOD_S)
    Watch.objects.bulk_create(
        [
            Watch(
                node_id=pk,
                shard=pk % SHARDS,
                due_at=now + timedelta(seconds=window * phase(pk)),
            )
            for pk in missing
        ],
        ignore_conflicts=True,
    )
    return len(missing)


def phase(pk: int) -> float:
    """0 ≤ phase < 1, the same for a node in every process (unlike `hash`)."""
    return zlib.crc32(str(pk).encode()) / 2**32


def claim_due(mine: Shards, *, now: datetime, limit: int) -> str:
    """Claim at most `limit` nodes whose turn it is; returns the claim's token."""
    asked = VisitRequest.objects.filter(node=OuterRef("node"), state=VisitState.QUEUED)
    stale = asked.filter(created_at__lte=now - timedelta(seconds=REQUEST_WAIT_S))
    turn = (
        Q(shard__in=mine.own(), due_at__lte=now + timedelta(seconds=EARLY_S))
        | Q(due_at__lte=now - timedelta(seconds=OVERDUE_S))
        | Q(Exists(asked), shard__in=mine.own())
        | Q(Exists(stale))
    )
    return _take(turn, now=now, limit=limit)


def claim_nodes(nodes: Iterable[int], *, now: datetime) -> str:
    """Claim exactly these nodes, due or not; returns the claim's token."""
    pks = list(nodes)
    return _take(Q(node__in=pks), now=now, limit=len(pks))


def _take(turn: Q, *, now: datetime, limit: int) -> str:
    """The conditional UPDATE. PostgreSQL passes over rows that another examiner is just taking,
    so two claims never wait for each other; SQLite has one writer at a time anyway."""
    token = secrets.token_hex(16)
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
    due = Watch.objects.filter(free, turn, node__state__in=VISITED).order_by("due_at")
    with transaction.atomic():
        if connection.features.has_select_for_update_skip_locked:
            due = due.select_for_update(skip_locked=True, of=("self",))
        Watch.objects.filter(free, pk__in=due.values("pk")[: max(limit, 0)]).update(
            token=token,
            claimed_until=now + timedelta(seconds=CLAIM_S),
            due_at=now + timedelta(seconds=PERIOD_S),
        )
    return token


def claimed(token: str) -> QuerySet[Watch]:
    """The rows this claim holds."""
    return Watch.objects.filter(token=token)


def release(token: str, nodes: Iterable[int], *, now: datetime) -> None:
    """Give these nodes back unvisited; they are due at once."""
    Watch.objects.filter(token=token, node__in=list(nodes)).update(
        token="", claimed_until=None, due_at=now
    )
