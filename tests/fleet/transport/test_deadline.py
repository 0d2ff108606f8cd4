"""Deadlines, and the watchdog that ends what outlives them."""

import threading
import time

from fleet.transport.deadline import GRACE_S, Deadline, Watchdog
from tests.fleet.transport.conftest import at_most
from tests.fleet.transport.hosts import forked
from tests.parts.processes import wait_until


def test_a_stages_limit_never_exceeds_the_whole() -> None:
    whole = Deadline(1)
    assert whole.within(5).at <= whole.at
    assert whole.within(0.1).at < whole.at


def test_a_passed_deadline_has_nothing_left() -> None:
    assert Deadline(-1).left() == 0
    assert Deadline(-1).passed


def test_what_outlives_its_deadline_is_stopped() -> None:
    stopped = threading.Event()
    with at_most(GRACE_S + 1), Watchdog().over(Deadline(0.2), stopped.set):
        assert stopped.wait(5)


def test_an_earlier_deadline_set_later_is_not_missed() -> None:
    dog, late, soon = Watchdog(), threading.Event(), threading.Event()
    with dog.over(Deadline(60), late.set), dog.over(Deadline(0.1), soon.set):
        assert soon.wait(2)
    assert not late.is_set()


def test_what_ends_in_time_is_left_alone() -> None:
    dog, stopped = Watchdog(), threading.Event()
    with dog.over(Deadline(0.1), stopped.set):
        pass
    time.sleep(0.1 + GRACE_S + 0.2)
    assert not stopped.is_set()


def test_ended_blocks_are_not_remembered_after_their_deadline() -> None:
    dog = Watchdog()
    for _ in range(100):
        with dog.over(Deadline(0.1), lambda: None):
            pass
    wait_until(lambda: not dog._watches, seconds=3, what="the watches are gone")


def test_a_forked_child_has_a_watchdog_of_its_own() -> None:
    dog = Watchdog()
    with dog.over(Deadline(0.1), lambda: None):
        pass

    def outlive() -> int:
        stopped = threading.Event()
        with dog.over(Deadline(0.1), stopped.set):
            return 7 if stopped.wait(2) else 1

    assert forked(outlive) == 7
