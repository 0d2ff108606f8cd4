"""Whose turn it is, and that nobody is visited twice at once."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from diagnostics.examine import claim
from diagnostics.examine.claim import Shards
from diagnostics.examine.models import VisitRequest, Watch
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState

pytestmark = pytest.mark.django_db


def of(token: str) -> set[int]:
    return set(claim.claimed(token).values_list("node", flat=True))


def test_nodes_in_service_get_a_watch_and_others_do_not(make_node) -> None:
    inside = {make_node().pk, make_node(state=NodeState.QUARANTINED).pk}
    make_node(state=NodeState.ENROLLING)
    make_node(state=NodeState.RETIRED)
    now = timezone.now()
    assert claim.watch_new_nodes(now) == 2
    assert claim.watch_new_nodes(now) == 0
    assert set(Watch.objects.values_list("node", flat=True)) == inside


def test_many_new_nodes_are_spread_over_a_minute_and_few_are_seen_soon(make_node) -> None:
    provider, region = make_node().provider, make_node().region
    for _ in range(300):
        make_node(provider=provider, region=region)
    now = timezone.now()
    claim.watch_new_nodes(now)
    due = sorted((row.due_at - now).total_seconds() for row in Watch.objects.all())
    assert 0 <= due[0] < 5
    assert 55 < due[-1] <= 60
    early = sum(second < 30 for second in due)
    assert 110 < early < 190


def test_an_examiner_takes_its_own_shards_when_due_and_once(watched) -> None:
    nodes = watched(6)
    Watch.objects.update(due_at=timezone.now())
    now = timezone.now()
    first, second = (of(claim.claim_due(Shards(i, 2), now=now, limit=50)) for i in (0, 1))
    assert first == {node.pk for node in nodes if node.pk % 64 % 2 == 0}
    assert first | second == {node.pk for node in nodes}
    assert not first & second
    assert of(claim.claim_due(Shards(0, 2), now=now, limit=50)) == set()


def test_a_claimed_node_is_due_again_a_minute_after_its_claim(watched) -> None:
    watched(1)
    now = timezone.now()
    claim.claim_due(Shards(0, 1), now=now, limit=9)
    assert Watch.objects.get().due_at == now + timedelta(seconds=60)


def test_a_dead_examiner_s_nodes_are_taken_thirty_seconds_late(watched) -> None:
    nodes = watched(8)
    now = timezone.now()
    Watch.objects.update(due_at=now - timedelta(seconds=29))
    assert of(claim.claim_due(Shards(0, 2), now=now, limit=50)) < {node.pk for node in nodes}
    Watch.objects.update(due_at=now - timedelta(seconds=31), claimed_until=None)
    assert of(claim.claim_due(Shards(0, 2), now=now, limit=50)) == {node.pk for node in nodes}


def test_a_claim_that_ran_out_is_free_again(watched) -> None:
    (node,) = watched(1)
    now = timezone.now()
    lost = claim.claim_nodes([node.pk], now=now - timedelta(seconds=61))
    taken = claim.claim_due(Shards(0, 1), now=now, limit=9)
    assert of(taken) == {node.pk}
    assert of(lost) == set()


def test_a_requested_visit_is_claimed_before_its_time(watched) -> None:
    nodes = watched(4)
    now = timezone.now()
    Watch.objects.update(due_at=now + timedelta(seconds=50))
    own = next(node for node in nodes if node.pk % 64 % 2 == 0)
    other = next(node for node in nodes if node.pk % 64 % 2 == 1)
    for node in (own, other):
        VisitRequest.objects.create(node=node)
    assert of(claim.claim_due(Shards(0, 2), now=now, limit=9)) == {own.pk}
    later = now + timedelta(seconds=11)
    assert of(claim.claim_due(Shards(0, 2), now=later, limit=9)) == {other.pk}


def test_no_more_than_the_limit_is_claimed_and_the_most_overdue_first(watched) -> None:
    nodes = watched(5)
    now = timezone.now()
    for late, node in enumerate(nodes):
        Watch.objects.filter(node=node).update(due_at=now - timedelta(seconds=late))
    assert of(claim.claim_due(Shards(0, 1), now=now, limit=2)) == {nodes[4].pk, nodes[3].pk}
    assert of(claim.claim_due(Shards(0, 1), now=now, limit=0)) == set()


def test_nodes_that_left_service_are_not_claimed(watched) -> None:
    nodes = watched(3)
    Node.objects.filter(pk=nodes[0].pk).update(state=NodeState.RETIRED)
    taken = of(claim.claim_due(Shards(0, 1), now=timezone.now(), limit=9))
    assert taken == {nodes[1].pk, nodes[2].pk}


def race(claimers: int = 4) -> list[str]:
    """Several examiners grab at the same overdue nodes in the same instant."""
    now = timezone.now()
    Watch.objects.update(due_at=now - timedelta(seconds=60), claimed_until=None, token="")
    start = threading.Barrier(claimers)
    tokens: list[str] = []

    def grab(number: int) -> None:
        try:
            start.wait()
            tokens.append(claim.claim_due(Shards(number, claimers), now=now, limit=15))
        finally:
            connection.close()

    threads = [threading.Thread(target=grab, args=(number,)) for number in range(claimers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return tokens


@pytest.mark.django_db(transaction=True)
def test_examiners_that_race_never_share_a_node(watched) -> None:
    watched(40)
    for _ in range(8):
        held = [of(token) for token in race()]
        assert len(held) == 4
        assert sum(map(len, held)) == len(set().union(*held)) > 15
