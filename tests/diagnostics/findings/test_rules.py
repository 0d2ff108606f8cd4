"""When findings open, stay, clear, and which explains which."""

import pytest

from diagnostics.findings.rules import Open, Repeat, decide, kin_of, roots, targets_of
from diagnostics.probes.reading import (
    Expectation,
    ExpectedGpu,
    ExpectedLease,
    ExpectedPath,
    Reading,
    Verdict,
)

GPU = "gpu:GPU-1"
TARGETS = frozenset({"node", GPU, "gpu:GPU-2"})
REPEATS = {"heat": Repeat(fail=3, clear=2)}
BAD = Reading("heat", GPU, Verdict.WARN, "hot", "thermal_throttling")
GREEN = Reading("heat", GPU, Verdict.OK, "cool")
UNSEEN = Reading("heat", GPU, Verdict.UNKNOWN, "section_missing")
FOUND = Open(7, "thermal_throttling", GPU, "heat")


def visits(*readings: Reading, findings=(), targets=TARGETS):
    """Decide over several visits, one reading each; returns the last decision."""
    streaks, decision = {}, None
    for reading in readings:
        decision = decide([reading], findings, streaks, repeats=REPEATS, targets=targets)
        streaks = decision.streaks
    return decision


def test_a_finding_opens_after_so_many_failing_visits_in_a_row() -> None:
    assert not visits(BAD, BAD).opened
    assert visits(BAD, BAD, BAD).opened == (BAD,)


def test_a_green_visit_in_between_starts_the_count_again() -> None:
    assert not visits(BAD, BAD, GREEN, BAD).opened
    assert visits(BAD, BAD, GREEN, BAD, BAD, BAD).opened == (BAD,)


def test_unknown_holds_the_count_and_neither_opens_nor_clears() -> None:
    assert visits(BAD, UNSEEN, BAD, UNSEEN, BAD).opened == (BAD,)
    assert not visits(UNSEEN, UNSEEN, UNSEEN, UNSEEN).changed
    assert not visits(UNSEEN, UNSEEN, UNSEEN, findings=[FOUND]).changed


def test_a_finding_clears_only_after_its_greens() -> None:
    assert not visits(GREEN, findings=[FOUND]).cleared
    assert not visits(GREEN, UNSEEN, findings=[FOUND]).cleared
    assert visits(GREEN, UNSEEN, GREEN, findings=[FOUND]).cleared == (FOUND,)


def test_a_fault_that_returns_before_it_cleared_is_another_occurrence() -> None:
    last = visits(GREEN, BAD, findings=[FOUND])
    assert last.again == {7}
    assert not visits(GREEN, BAD, GREEN, findings=[FOUND]).cleared


def test_a_probe_that_says_nothing_clears_nothing() -> None:
    assert not decide([], [FOUND], {}, repeats=REPEATS, targets=TARGETS).cleared


def test_another_probe_s_green_clears_nothing() -> None:
    green = Reading("fans", GPU, Verdict.OK, "fine")
    assert not visits(green, green, green, findings=[FOUND]).cleared


def test_the_same_probe_green_on_another_card_clears_nothing() -> None:
    green = Reading("heat", "gpu:GPU-2", Verdict.OK, "cool")
    assert not visits(green, green, green, findings=[FOUND]).cleared


def test_a_probe_that_names_another_fault_clears_nothing() -> None:
    other = Reading("heat", GPU, Verdict.FAIL, "brake", "hw_power_brake_slowdown")
    assert not visits(other, other, findings=[FOUND]).cleared


def test_a_finding_on_what_has_left_the_node_clears() -> None:
    left = decide([], [FOUND], {}, repeats=REPEATS, targets=frozenset({"node"}))
    assert left.cleared == (FOUND,)


def test_a_steady_node_keeps_no_streaks() -> None:
    assert visits(BAD, GREEN, GREEN).streaks == {}


def test_the_worst_of_two_complaints_decides() -> None:
    warn = Reading("xid", GPU, Verdict.WARN, "mild", "gpu_err_state")
    fail = Reading("gpu_state", GPU, Verdict.FAIL, "gone", "gpu_err_state")
    assert decide([warn, fail], [], {}, repeats={}, targets=TARGETS).opened == (fail,)


EXPECTED = Expectation(
    gpus=(ExpectedGpu("GPU-1"), ExpectedGpu("GPU-2")),
    leases=(
        ExpectedLease("A", "container", "a", ("GPU-1",)),
        ExpectedLease("B", "container", "b", ("GPU-2",)),
    ),
    paths=(
        ExpectedPath(1, "A", "ssh", "h", 1, 1, 22),
        ExpectedPath(2, "B", "ssh", "h", 2, 2, 22),
    ),
)


def link(*pairs: tuple[str, str]) -> dict[int, int | None]:
    rows = [Open(number, code, target, "p") for number, (code, target) in enumerate(pairs, 1)]
    return roots(rows, kin_of(EXPECTED))


def test_a_card_lost_explains_the_short_count_of_its_node() -> None:
    assert link(("gpu_fallen_off_bus", GPU), ("gpu_missing", "node")) == {1: None, 2: 1}


def test_a_card_lost_does_not_explain_another_card() -> None:
    assert link(("gpu_fallen_off_bus", GPU), ("gpu_err_state", "gpu:GPU-2")) == {1: None, 2: None}


def test_a_stopped_container_explains_its_own_port_only() -> None:
    found = link(
        ("container_stopped", "lease:A"),
        ("ssh_connection_refused", "path:1"),
        ("ssh_connection_refused", "path:2"),
    )
    assert found == {1: None, 2: 1, 3: None}


def test_an_unreachable_node_explains_every_port() -> None:
    found = link(
        ("ssh_connection_timeout", "path:1"),
        ("node_unreachable", "node"),
        ("ssh_connection_timeout", "path:2"),
    )
    assert found == {1: 2, 2: None, 3: 2}


def test_a_chain_leads_to_its_first_cause() -> None:
    found = link(
        ("gpu_missing", "node"),
        ("gpu_fallen_off_bus", GPU),
        ("gpu_disabled_by_firmware", GPU),
    )
    assert found == {1: 3, 2: 3, 3: None}


def test_a_restart_explains_what_it_took_down_and_not_what_breaks_later() -> None:
    restart = Open(1, "unplanned_reboot", "node", "p", opened=100.0)
    stopped = Open(2, "container_stopped", "lease:A", "p", opened=100.0)
    later = Open(3, "port_unreachable", "path:2", "p", opened=160.0)
    assert roots([restart, stopped, later], kin_of(EXPECTED)) == {1: None, 2: 1, 3: None}


@pytest.mark.parametrize("target", ["node", GPU, "lease:A", "path:2"])
def test_the_inventory_s_things_are_targets(target: str) -> None:
    assert target in targets_of(EXPECTED)
