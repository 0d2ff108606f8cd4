"""Cards: present, answering, cool, at their limits, and normal where they are normal."""

import pytest

from diagnostics.probes.reading import ExpectedGpu, ExpectedLease, SectionState, Verdict

A, B = "gpu:GPU-a", "gpu:GPU-b"

# DOMAIN A, "Normal on a 4090": idle, and under CUDA load.
NORMAL = {
    "idle": {
        "pstate": 8, "sm_mhz": 210, "mem_mhz": 405, "gen": 1, "fan_pct": 0, "power_w": 26.0,
        "reasons": 0x1, "persistence": False, "util_pct": 0, "util_mem_pct": 0,
        "temperature_c": 34, "margin_c": 49, "memory_used_mib": 1, "processes": [],
    },
    "busy in P2 at its power limit": {
        "pstate": 2, "mem_mhz": 10251, "reasons": 0x4, "power_w": 449.8, "util_pct": 100,
        "temperature_c": 72, "margin_c": 11,
    },
    "memory full": {"memory_used_mib": 24000, "memory_free_mib": 214},
    "ECC and rows not offered": {"ecc": None, "remapped": None,
                                 "errors": {"ecc": "not_supported", "remapped": "not_supported"}},
    "no margin and cool": {"margin_c": None, "temperature_c": 66},
    "a margin of 0 at idle, which the driver does not know": {"margin_c": 0, "temperature_c": 40},
    "clocks set by somebody": {"reasons": 0x2, "sm_mhz": 1800},
    "advice none": {"action": "none"},
    "advice not offered": {"action": None},
}  # fmt: skip


@pytest.mark.parametrize("changes", NORMAL.values(), ids=NORMAL.keys())
def test_what_is_normal_on_a_4090_never_alarms(node, changes) -> None:
    node.card(0, **changes)
    assert node.judged().verdict is Verdict.OK


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"margin_c": 6, "temperature_c": 77}, "ok", "heat_margin_ok"),
        ({"margin_c": 5, "temperature_c": 78}, "warn", "heat_margin_warn"),
        ({"margin_c": 0, "temperature_c": 83}, "fail", "heat_margin_fail"),
        ({"margin_c": -3, "temperature_c": 86}, "fail", "heat_margin_fail"),
        ({"margin_c": None, "target_c": 84, "slowdown_c": 90, "temperature_c": 80}, "ok",
         "heat_limits_ok"),
        ({"margin_c": None, "target_c": 84, "slowdown_c": 90, "temperature_c": 81}, "warn",
         "heat_limits_warn"),
        ({"margin_c": None, "target_c": 84, "slowdown_c": 90, "temperature_c": 87}, "fail",
         "heat_limits_fail"),
        ({"margin_c": None, "temperature_c": 79}, "ok", "heat_fixed_ok"),
        ({"margin_c": None, "temperature_c": 80}, "warn", "heat_fixed_warn"),
        ({"margin_c": None, "temperature_c": 84}, "fail", "heat_fixed_fail"),
        ({"margin_c": 20, "temperature_c": 60, "reasons": 0x20}, "fail", "heat_sw_slowdown"),
        ({"margin_c": 20, "temperature_c": 60, "reasons": 0x48}, "fail", "heat_hw_slowdown"),
        ({"margin_c": None, "temperature_c": None}, "unknown", "value_unread"),
    ],
)  # fmt: skip
def test_heat_is_judged_by_the_best_rule_there_is_and_says_which(
    node, changes, verdict, reason
) -> None:
    node.card(0, **changes)
    reading = node.reading("temperature", A)
    assert (reading.verdict, reading.reason) == (verdict, reason)
    if verdict in {"warn", "fail"}:
        assert reading.code in {"thermal_throttling", "hw_thermal_slowdown"}


@pytest.mark.parametrize(
    ("bits", "verdict", "code"),
    [
        (0x1, "ok", ""), (0x2, "ok", ""), (0x4, "ok", ""), (0x10, "ok", ""), (0x100, "ok", ""),
        (0x8, "fail", "hw_power_brake_slowdown"), (0x88, "fail", "hw_power_brake_slowdown"),
        (0x48, "fail", "hw_thermal_slowdown"), (0x40, "fail", "hw_thermal_slowdown"),
        (0x20, "warn", "thermal_throttling"), (0x80, "fail", "hw_power_brake_slowdown"),
    ],
)  # fmt: skip
def test_each_event_bit_is_taken_as_what_it_is(node, bits, verdict, code) -> None:
    node.card(0, reasons=bits)
    reading = node.reading("event_reasons", A)
    assert (reading.verdict, reading.code) == (verdict, code)


def test_a_slowdown_without_a_cause_on_a_hot_card_is_heat(node) -> None:
    node.card(0, reasons=0x8, temperature_c=86, margin_c=None)
    assert node.reading("event_reasons", A).code == "hw_thermal_slowdown"


def test_the_inventory_knows_a_narrow_slot_that_the_driver_takes_for_normal(node) -> None:
    node.card(0, width_x=4, width_max_x=4)
    reading = node.reading("pcie_width", A)
    assert (reading.verdict, reading.code) == (Verdict.WARN, "pcie_width_degraded")
    assert dict(reading.values) == {"width_x": 4, "most_x": 16}


def test_a_narrow_link_is_seen_without_an_inventory(node) -> None:
    node.expecting(gpus=(ExpectedGpu("GPU-a"), ExpectedGpu("GPU-b")))
    node.card(0, width_x=8)
    assert node.reading("pcie_width", A).code == "pcie_width_degraded"


def test_a_low_generation_counts_under_load_only(node) -> None:
    node.card(0, gen=1, util_pct=3)
    node.card(1, gen=3, util_pct=99)
    assert node.reading("pcie_width", A).verdict is Verdict.OK
    assert node.reading("pcie_width", B).code == "pcie_gen_degraded"


def test_a_power_limit_is_held_against_the_agreed_one_only(node) -> None:
    node.card(0, limit_w=300.0)
    assert node.reading("power_limit", A).code == "power_limit_changed"
    node.expecting(gpus=(ExpectedGpu("GPU-a", power_limit_w=300), ExpectedGpu("GPU-b")))
    assert node.reading("power_limit", A).verdict is Verdict.OK
    node.card(1, limit_w=320.0)
    assert node.reading("power_limit", B).reason == "power_limit_not_agreed"


def test_persistence_is_for_the_record(node) -> None:
    node.card(0, persistence=False)
    assert node.reading("persistence", A).reason == "persistence_off"
    assert node.reading("persistence", A).verdict is Verdict.OK


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("lost", "gpu_fallen_off_bus"),
        ("error", "gpu_err_state"),
        ("reset_required", "gpu_reset_required"),
    ],
)
def test_a_card_that_does_not_answer_well_is_named(node, state, code) -> None:
    node.card(0, state=state, temperature_c=None, uuid=None)
    assert node.reading("gpu_state", A).code == code
    assert node.reading("temperature", A).verdict is Verdict.UNKNOWN
    assert node.reading("gpu_state", B).verdict is Verdict.OK


@pytest.mark.parametrize(
    ("action", "code"), [("reset", "gpu_reset_required"), ("reboot", "gpu_needs_node_reboot")]
)
def test_the_drivers_own_recovery_advice_counts(node, action, code) -> None:
    node.card(0, action=action)
    assert node.reading("gpu_state", A).code == code


def test_a_card_that_is_dead_on_the_bus_is_off_it_even_when_the_driver_is_silent(node) -> None:
    node.facts["pci"][0]["dead"] = True
    node.facts["gpus"].pop(0)
    assert node.reading("gpu_state", A).code == "gpu_fallen_off_bus"
    assert node.codes() == {("gpu_fallen_off_bus", A)}
    node.states["gpus"] = SectionState.TIMEOUT
    node.facts["nvidia"]["answer"] = "hung"
    assert node.reading("gpu_state", A).code == "gpu_fallen_off_bus"


def test_a_card_the_bus_no_longer_shows_is_missing(node) -> None:
    node.facts["pci"].pop(0)
    node.facts["gpus"].pop(0)
    assert node.reading("gpu_count", A).reason == "gpu_not_on_bus"
    assert node.reading("gpu_count", A).code == "gpu_missing"
    assert node.reading("gpu_count", B).verdict is Verdict.OK


def test_a_card_on_the_bus_that_the_driver_lacks_is_missing(node) -> None:
    node.facts["gpus"].pop(0)
    assert node.reading("gpu_count", A).reason == "gpu_not_in_driver"


def test_another_card_in_the_slot_is_not_the_one_on_record(node) -> None:
    node.card(0, uuid="GPU-stranger")
    reading = node.reading("gpu_count", A)
    assert (reading.code, reading.values["other"]) == ("gpu_spec_mismatch", "GPU-stranger")


def test_a_card_that_nobody_has_on_record_is_the_nodes(node) -> None:
    node.facts["pci"].append(node.facts["pci"][0] | {"pci": "0000:c1:00.0"})
    node.facts["gpus"].append(node.facts["gpus"][0] | {"uuid": "GPU-new", "pci": "0000:c1:00.0"})
    reading = node.reading("gpu_count")
    assert (reading.verdict, reading.code) == (Verdict.WARN, "gpu_spec_mismatch")
    assert reading.values["uuid"] == "GPU-new"


def test_index_order_means_nothing(node) -> None:
    node.facts["gpus"].reverse()
    assert node.judged().verdict is Verdict.OK


def test_a_leased_card_that_is_not_here_is_the_leases(node) -> None:
    lease = ExpectedLease("C", "container", "", ("GPU-far",))
    node.expecting(leases=(*node.expectation.leases, lease))
    assert node.reading("gpu_count", "lease:C").code == "gpu_missing"


def test_a_node_without_cards_on_record_is_not_called_complete(node) -> None:
    node.expecting(gpus=(), leases=(), paths=())
    assert node.reading("gpu_count").verdict is Verdict.UNKNOWN


def test_an_unknown_model_is_judged_by_the_general_rules(node) -> None:
    node.card(0, name="NVIDIA RTX 7090 Ti Super", margin_c=None, temperature_c=91)
    assert node.reading("temperature", A).code == "thermal_throttling"
    assert node.reading("xid", A).verdict is Verdict.OK
