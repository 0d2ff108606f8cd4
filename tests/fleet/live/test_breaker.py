"""The circuit breaker."""

from fleet.live.breaker import Breaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_callers_pass_while_calls_work() -> None:
    breaker = Breaker(2, Clock())
    assert all(breaker.allows() for _ in range(5))


def test_after_a_failure_nobody_tries_for_two_seconds() -> None:
    clock = Clock()
    breaker = Breaker(2, clock)
    breaker.failed()
    clock.now += 1.9
    assert not breaker.allows()


def test_after_the_pause_one_caller_tries_and_the_others_still_do_not_wait() -> None:
    clock = Clock()
    breaker = Breaker(2, clock)
    breaker.failed()
    clock.now += 2
    assert [breaker.allows() for _ in range(4)] == [True, False, False, False]


def test_one_success_lets_everybody_in_again() -> None:
    clock = Clock()
    breaker = Breaker(2, clock)
    breaker.failed()
    clock.now += 2
    assert breaker.allows()
    breaker.worked()
    assert breaker.allows()
    assert breaker.allows()
