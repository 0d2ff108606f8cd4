"""One of two examiners is killed, then frozen: the fleet is examined on, each node by one only."""

import time

import pytest

from tests.e2e import examiners
from tests.parts.stack import Stack

pytestmark = [pytest.mark.worker, pytest.mark.timeout(600)]


def test_a_killed_and_a_frozen_examiner_are_covered_by_the_other(stack: Stack) -> None:
    start = time.time()
    examiners.kill(stack, 0)
    time.sleep(10)
    examiners.freeze(stack, 1, 105)  # longer than a claim lasts
    time.sleep(15)
    seen = examiners.watched(stack, start)
    assert seen.visits > 24
    assert seen.longest_gap <= examiners.LONGEST_GAP_S
    assert seen.overlaps == []
    assert seen.stale == []
