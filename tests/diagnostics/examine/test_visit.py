"""One visit: what is asked again, what is believed, and that it ends in time."""

import socket
import time
from dataclasses import replace

import pytest

from diagnostics.examine import outside
from diagnostics.examine.record import Before, VisitPlan
from diagnostics.examine.visit import visit
from diagnostics.nodekit import kit
from diagnostics.probes.reading import Expectation, ExpectedLease, ExpectedPath
from fleet.transport.result import (
    Address,
    AuthRefused,
    HostKeyChanged,
    OutputTooLarge,
    Result,
    TimedOut,
    Unreachable,
)
from tests.diagnostics.examine.conftest import Hosts, probe_output

ADDRESS = Address("10.9.0.1", 22, "halfhour-probe", 1, "ssh-ed25519 AAAA")


class Waits:
    """Notes each wait instead of waiting; `between` is called after each."""

    def __init__(self, between=lambda: None, stop: bool = False) -> None:
        self.seconds: list[float] = []
        self.between, self.stop = between, stop

    def __call__(self, seconds: float) -> bool:
        self.seconds.append(round(seconds))
        self.between()
        return self.stop


def plan(*paths: ExpectedPath, memory=None, **fields) -> VisitPlan:
    expected = Expectation(
        leases=(ExpectedLease("A", "container", "a", ()),), paths=paths, memory=memory or {}
    )
    made = VisitPlan(1, "n1", "t", time.monotonic() + 45, ADDRESS, expected, before=Before())
    return replace(made, **fields)


def raises(*errors: Exception | None):
    """Each call raises the next; None and everything after answers."""
    left = list(errors)

    def answer() -> bytes:
        error = left.pop(0) if left else None
        if error is not None:
            raise error
        return probe_output()

    return answer


def reading(outcome, probe: str):
    return next(each for each in outcome.readings if each.probe == probe)


def test_a_node_is_called_unreachable_only_after_three_tries(hosts: Hosts) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * 3)
    waits = Waits()
    outcome = visit(plan(), hosts, pause=waits)
    assert outcome.reached == "unreachable"
    assert len(hosts.calls) == 3
    assert waits.seconds == [5, 15]
    assert reading(outcome, "node_reachable").verdict == "fail"


@pytest.mark.parametrize("failures", [1, 2])
def test_a_node_that_answers_the_second_or_third_time_is_well(hosts: Hosts, failures) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * failures)
    outcome = visit(plan(), hosts, pause=Waits())
    assert outcome.reached == "ok"
    assert reading(outcome, "node_reachable").verdict == "ok"


def test_a_node_known_to_be_unreachable_is_not_waited_for(hosts: Hosts) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * 9)
    first = visit(plan(), hosts, pause=Waits())
    waits = Waits()
    again = visit(plan(memory=first.memory), hosts, pause=waits)
    assert (again.reached, waits.seconds) == ("unreachable", [])


def test_without_a_control_that_answers_the_fault_is_taken_for_ours(hosts: Hosts, port) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * 3)
    outcome = visit(plan(controls=(("127.0.0.1", port),)), hosts, pause=Waits())
    found = reading(outcome, "node_reachable")
    assert (found.verdict, found.reason) == ("unknown", "is_it_us")
    assert (outcome.verdict, outcome.failing_layer) == ("unknown", "")


def test_one_control_that_answers_is_enough_to_accuse_the_node(hosts: Hosts, port) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * 3)
    with socket.create_server(("127.0.0.1", 0)) as good:
        controls = (("127.0.0.1", port), ("127.0.0.1", good.getsockname()[1]))
        outcome = visit(plan(controls=controls), hosts, pause=Waits())
    assert reading(outcome, "node_reachable").verdict == "fail"


@pytest.mark.parametrize(
    ("error", "reached"),
    [
        (AuthRefused(), "auth_refused"),
        (HostKeyChanged(offered="ssh-ed25519 BBBB"), "host_key_changed"),
        (TimedOut(), "timeout"),
    ],
)
def test_other_failures_are_named_and_not_repeated(hosts: Hosts, error, reached) -> None:
    hosts.answers[ADDRESS.host] = raises(error)
    outcome = visit(plan(), hosts, pause=Waits())
    assert outcome.reached == reached
    assert len(hosts.calls) == 1
    assert outcome.offered_key == getattr(error, "offered", "")


def test_output_over_the_cap_is_read_as_far_as_it_came(hosts: Hosts) -> None:
    hosts.answers[ADDRESS.host] = raises(OutputTooLarge(partial=probe_output()[:-8]))
    outcome = visit(plan(), hosts, pause=Waits())
    assert outcome.reached == "ok"
    assert "ok" not in {r.verdict for r in outcome.readings if r.probe == "gpu_count"}


def test_a_missing_kit_is_sent_once_and_the_node_asked_again() -> None:
    class Bare(Hosts):
        def run(self, address, argv, *, timeout, stdin=None, cap=0):
            self.calls.append((argv[2], timeout))
            if stdin is not None:
                return Result(tuple(argv), 0, b"", 0.0)
            status = 0 if any(call[0] == kit.INSTALL for call in self.calls) else kit.KIT_MISSING
            return Result(tuple(argv), status, probe_output() if status == 0 else b"", 0.0)

    bare = Bare()
    assert visit(plan(), bare).reached == "ok"
    assert [call[0] for call in bare.calls] == [kit.RUN, kit.INSTALL, kit.RUN]


def test_a_node_that_refuses_the_kit_is_asked_no_third_time() -> None:
    class Refusing(Hosts):
        def run(self, address, argv, *, timeout, stdin=None, cap=0):
            self.calls.append((argv[2], timeout))
            return Result(tuple(argv), kit.KIT_MISSING, b"", 0.0)

    refusing = Refusing()
    assert visit(plan(), refusing).reached == "kit_refused"
    assert len(refusing.calls) == 3


def path(port: int) -> ExpectedPath:
    return ExpectedPath(5, "A", "ssh", "127.0.0.1", port, port, 22)


def test_a_dead_port_is_looked_at_three_times(hosts: Hosts, port: int, monkeypatch) -> None:
    looks = []
    real = outside.look
    monkeypatch.setattr(outside, "look", lambda p, **k: (looks.append(len(p)), real(p, **k))[1])
    waits = Waits()
    outcome = visit(plan(path(port)), hosts, pause=waits)
    assert waits.seconds == [5, 15]
    assert looks == [1, 1, 1]
    assert reading(outcome, "access_path").verdict == "fail"
    assert len(hosts.calls) == 1


def test_a_port_that_comes_back_within_the_visit_is_no_fault(hosts: Hosts, port: int) -> None:
    opened = []

    def open_it() -> None:
        server = socket.create_server(("127.0.0.1", port))
        opened.append(server)

    waits = Waits(between=open_it)
    checked = ExpectedPath(5, "A", "tcp", "127.0.0.1", port, port, 22)
    outcome = visit(plan(checked), hosts, pause=waits)
    opened[0].close()
    assert waits.seconds == [5]
    assert reading(outcome, "access_path").verdict == "ok"


def test_a_port_known_to_be_dead_is_looked_at_once(hosts: Hosts, port: int) -> None:
    first = visit(plan(path(port)), hosts, pause=Waits())
    waits = Waits()
    again = visit(plan(path(port), memory=first.memory), hosts, pause=waits)
    assert waits.seconds == []
    assert reading(again, "access_path").verdict == "fail"


def test_a_visit_whose_deadline_has_passed_asks_nobody(hosts: Hosts) -> None:
    """As after SIGSTOP and SIGCONT: the monotonic clock went on, the claim ran out."""
    assert visit(plan(deadline=time.monotonic() - 1), hosts) is None
    assert hosts.calls == []


def test_a_visit_that_is_stopped_while_it_ran_has_nothing_to_say(hosts: Hosts) -> None:
    made = plan(deadline=time.monotonic() + 0.2)

    def slow() -> bytes:
        time.sleep(0.3)
        return probe_output()

    hosts.answers[ADDRESS.host] = slow
    assert visit(made, hosts) is None


def test_a_visit_is_called_off_while_it_waits(hosts: Hosts) -> None:
    hosts.answers[ADDRESS.host] = raises(*[Unreachable()] * 3)
    assert visit(plan(), hosts, pause=Waits(stop=True)) is None
    assert len(hosts.calls) == 1


def test_a_node_without_a_login_is_not_called_well(hosts: Hosts) -> None:
    outcome = visit(plan(address=None), hosts)
    assert outcome.reached == "auth_refused"
    assert outcome.verdict == "fail"
