"""Cards read through NVML and through nvidia-smi: the same, and each failure kept apart."""

import time

import pytest

from diagnostics.probes.reading import SectionState


def cards(observation):
    assert observation.sections["gpus"].state is SectionState.OK, observation.sections["gpus"]
    return observation.facts["gpus"]


def without(card, *names):
    return {name: value for name, value in card.items() if name not in {"source", *names}}


def test_both_ways_give_the_same_readings(host, nvml, tmp_path) -> None:
    host.with_smi()
    through_smi = host.visit()
    host.with_nvml(nvml)
    through_nvml = host.visit()
    assert through_smi.facts["nvidia"]["via"] == "smi"
    assert through_nvml.facts["nvidia"]["via"] == "nvml"
    assert [without(c) for c in cards(through_nvml)] == [without(c) for c in cards(through_smi)]
    assert through_nvml.facts["nvidia"]["driver"] == through_smi.facts["nvidia"]["driver"]


def test_a_reading_in_full(host, nvml) -> None:
    host.with_nvml(nvml)
    first, second = cards(host.visit())
    assert first["pci"] == "0000:41:00.0"
    assert first["memory_used_mib"] == 20000  # version 2: what the driver reserves is apart
    assert (first["temperature_c"], first["margin_c"], first["power_w"]) == (71, 12, 431.25)
    assert second["processes"] == [{"pid": 4001, "mib": 19990}]
    assert first["state"] == second["state"] == "ok"
    assert first["errors"] == {}


@pytest.mark.parametrize(
    ("call", "field"),
    [
        ("nvmlDeviceGetFanSpeed", "fan_pct"),
        ("nvmlDeviceGetMarginTemperature", "margin_c"),
        ("nvmlDeviceGetRemappedRows", "remapped"),
        ("nvmlDeviceGetEccMode", "ecc"),
        ("nvmlDeviceGetFieldValues", "action"),
        ("nvmlDeviceGetVbiosVersion", "vbios"),
        ("nvmlDeviceGetPowerManagementLimitConstraints", "limit_max_w"),
    ],
)
def test_a_call_that_a_card_does_not_offer_is_null_and_named(host, nvml, call, field) -> None:
    host.with_nvml(nvml, STUB_NVML_FAIL=f"{call}=3")
    first, second = cards(host.visit())
    assert first[field] is None
    assert first["errors"][field] == "not_supported"
    assert first["state"] == second["state"] == "ok"
    assert first["temperature_c"] == 71


def test_old_drivers_are_asked_in_the_old_way(host, nvml) -> None:
    calls = ("nvmlDeviceGetTemperatureV", "nvmlDeviceGetCurrentClocksEventReasons")
    host.with_nvml(nvml, STUB_NVML_FAIL=",".join(f"{call}=13" for call in calls))
    first, _second = cards(host.visit())
    assert first["temperature_c"] == 71
    assert first["reasons"] == 4


def test_without_a_margin_the_card_tells_its_limits_both_ways(host, nvml) -> None:
    host.with_smi(STUB_SMI_LACKS="temperature.gpu.tlimit")
    through_smi = cards(host.visit())
    host.with_nvml(nvml, STUB_NVML_FAIL="nvmlDeviceGetMarginTemperature=3")
    through_nvml = cards(host.visit())
    assert [without(card) for card in through_nvml] == [without(card) for card in through_smi]
    assert (through_nvml[0]["target_c"], through_nvml[0]["slowdown_c"]) == (84, 90)


def test_a_lost_card_leaves_the_others_readable(host, nvml) -> None:
    host.with_nvml(nvml, STUB_NVML_FAIL="nvmlDeviceGetHandleByIndex_v2@1=15")
    first, second = cards(host.visit())
    assert first["state"] == "ok"
    assert second["state"] == "lost"
    assert second["temperature_c"] is None


def test_a_card_lost_while_we_read_is_lost(host, nvml) -> None:
    host.with_nvml(nvml, STUB_NVML_FAIL="nvmlDeviceGetPowerUsage@0=15")
    assert cards(host.visit())[0]["state"] == "lost"


def test_a_card_whose_readings_fail_is_in_error(host, nvml) -> None:
    failing = ("nvmlDeviceGetPowerUsage", "nvmlDeviceGetUtilizationRates")
    host.with_nvml(nvml, STUB_NVML_FAIL=",".join(f"{call}@1=999" for call in failing))
    assert [card["state"] for card in cards(host.visit())] == ["ok", "error"]


def test_one_failing_fan_is_not_a_failing_card(host, nvml) -> None:
    host.with_nvml(nvml, STUB_NVML_FAIL="nvmlDeviceGetFanSpeed@1=999")
    assert cards(host.visit())[1]["state"] == "ok"


@pytest.mark.parametrize(
    ("said", "state", "error"),
    [
        ("[GPU is lost]", "lost", "lost"),
        ("[GPU requires reset]", "reset_required", "reset_required"),
        ("[Unknown Error]", "error", "unknown_error"),
        ("ERR!", "error", "err"),
        ("[N/A]", "ok", "not_supported"),
        ("[Not Supported]", "ok", "not_supported"),
    ],
)
def test_the_five_ways_not_to_answer_are_kept_apart(host, said, state, error) -> None:
    fields = ("power.draw", "utilization.gpu")
    host.with_smi(STUB_SMI_SAYS=",".join(f"{field}@1={said}" for field in fields))
    first, second = cards(host.visit())
    assert first["state"] == "ok"
    assert second["state"] == state
    assert second["power_w"] is None
    assert second["errors"]["power_w"] == error


def test_fields_that_a_branch_lacks_cost_nothing_else(host) -> None:
    lacks = "clocks_event_reasons.active,gpu_recovery_action,remapped_rows.correctable"
    host.with_smi(STUB_SMI_LACKS=lacks)
    first, _second = cards(host.visit())
    assert first["reasons"] == 4  # under its old name
    assert first["action"] is None
    assert first["remapped"] is None
    assert first["memory_reserved_mib"] == 350
    assert first["margin_c"] == 12


def test_nvidia_smi_that_stops_at_a_lost_card_is_asked_for_the_others(host) -> None:
    host.with_smi(STUB_SMI="lost")
    found = {card["pci"]: card["state"] for card in cards(host.visit())}
    assert found == {"0000:41:00.0": "ok", "0000:42:00.0": "lost"}


@pytest.mark.parametrize(
    ("environment", "answer"),
    [
        ({"STUB_SMI": "mismatch"}, "mismatch"),
        ({"STUB_SMI": "not_loaded"}, "not_loaded"),
        ({"STUB_SMI": "unknown"}, "unknown_error"),
        ({"STUB_SMI": "no_devices"}, "no_devices"),
    ],
)
def test_nvidia_smi_says_why_it_shows_nothing(host, environment, answer) -> None:
    host.with_smi(**environment)
    assert host.visit().facts["nvidia"]["answer"] == answer


@pytest.mark.parametrize(("code", "answer"), [(9, "not_loaded"), (18, "mismatch"), (4, "denied")])
def test_the_library_says_why_it_does_not_start(host, nvml, code, answer) -> None:
    host.with_nvml(nvml, STUB_NVML_FAIL=f"nvmlInitWithFlags={code}")
    seen = host.visit()
    assert seen.facts["nvidia"]["answer"] == answer
    assert seen.sections["gpus"].state is not SectionState.OK


def test_a_library_that_crashes_falls_back_to_the_command(host, nvml) -> None:
    host.with_smi()
    host.with_nvml(nvml, STUB_NVML_DIE="nvmlDeviceGetUUID")
    seen = host.visit()
    assert seen.facts["nvidia"]["via"] == "smi"
    assert len(cards(seen)) == 2


def test_a_hung_library_is_abandoned_and_the_rest_is_told(host, nvml, alive) -> None:
    host.with_nvml(nvml, STUB_NVML_HANG="nvmlDeviceGetPowerUsage@1")
    host.says("ss", "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*")
    begun = time.monotonic()
    seen = host.visit()
    assert time.monotonic() - begun < 20
    assert seen.facts["nvidia"]["answer"] == "hung"
    assert seen.sections["gpus"].state is SectionState.TIMEOUT
    assert seen.facts["sockets"] == [{"address": "0.0.0.0", "port": 22}]


def test_a_hung_command_leaves_nothing_running(host, alive) -> None:
    host.with_driver()
    host.tool(
        "nvidia-smi", f"echo $$ >> {host.root}/pids; sleep 600 & echo $! >> {host.root}/pids; wait"
    )
    assert host.visit().facts["nvidia"]["answer"] == "hung"
    pids = [int(line) for line in (host.root / "pids").read_text().split()]
    assert len(pids) == 2
    assert not [pid for pid in pids if alive(pid)]
