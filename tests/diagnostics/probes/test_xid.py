"""Driver error numbers: bursts, roots, followers, and how long each speaks against a card."""

import pytest

from diagnostics.catalogue.load import XIDS
from diagnostics.probes.bursts import gather
from diagnostics.probes.facts import KernelLine
from diagnostics.probes.reading import ExpectedGpu, Verdict

CARD = "gpu:GPU-a"
BUS_LOST = "NVRM: GPU 0000:41:00.0: GPU has fallen off the bus."


def line(number: int, text: str = "pid=1234, name=python, Ch 00000008", slot="0000:41:00") -> str:
    return f"NVRM: Xid (PCI:{slot}): {number}, {text}"


def test_79_takes_the_card_down_until_the_next_boot(node) -> None:
    node.logged(line(79), BUS_LOST)
    reading = node.reading("xid", CARD)
    assert (reading.verdict, reading.code) == (Verdict.FAIL, "gpu_fallen_off_bus")
    assert reading.values["number"] == 79
    assert node.reading("xid", "gpu:GPU-b").verdict is Verdict.OK
    node.later(86400)
    assert node.reading("xid", CARD).code == "gpu_fallen_off_bus"
    node.later()
    node.boot = "0f6e8f58-0000-4000-8000-000000000002"
    assert node.reading("xid", CARD).verdict is Verdict.OK


def test_a_card_off_the_bus_without_a_number_is_79_too(node) -> None:
    node.logged("NVRM: GPU at PCI:0000:41:00: GPU-a", BUS_LOST)
    assert node.reading("xid", CARD).values["number"] == 79


@pytest.mark.parametrize(("number", "window"), [(109, 1800), (32, 1800), (13, 600), (31, 600)])
def test_lesser_numbers_speak_for_a_while_and_then_the_card_is_green(node, number, window) -> None:
    node.logged(line(number))
    assert node.reading("xid", CARD).verdict is Verdict.WARN
    node.later(window - 30)
    assert node.reading("xid", CARD).verdict is Verdict.WARN
    node.later(60)
    assert node.reading("xid", CARD).verdict is Verdict.OK


def test_a_program_error_is_told_as_the_programs(node) -> None:
    node.logged(line(31))
    reading = node.reading("xid", CARD)
    assert (reading.reason, reading.code) == ("xid_program", "illegal_memory_access")


@pytest.mark.parametrize("number", [n for n, row in XIDS.items() if row.consequence_only])
def test_a_number_that_only_follows_never_convicts(node, number) -> None:
    node.logged(*[line(number, "Ch 1") for _ in range(200)])
    assert node.reading("xid", CARD).verdict is Verdict.OK


def test_a_burst_is_judged_by_its_root_not_its_last_line(node) -> None:
    node.logged(line(62), line(45), line(45), line(119), line(154, "recovery (GPU Reset Required)"))
    reading = node.reading("xid", CARD)
    assert (reading.values["number"], reading.code) == (62, "gpu_microcontroller_halt")
    assert reading.values["others"] == "45, 119, 154"
    assert reading.values["count"] == 5


def test_a_fatal_number_outranks_a_program_error_before_it(node) -> None:
    node.logged(line(31), line(79))
    assert node.reading("xid", CARD).code == "gpu_fallen_off_bus"


@pytest.mark.parametrize(
    ("advice", "code"),
    [
        ("GPU Reset Required", "gpu_reset_required"),
        ("Node Reboot Required", "gpu_needs_node_reboot"),
        ("None", ""),
    ],
)
def test_the_drivers_own_advice_counts_when_nothing_else_is_there(node, advice, code) -> None:
    text = f"GPU recovery action changed from 0x0 (None) to 0x1 ({advice})"
    node.logged(line(154, text))
    assert node.reading("xid", CARD).code == code


def test_the_newest_advice_clears_an_older_one(node) -> None:
    node.logged(
        line(154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"),
        line(154, "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"),
    )
    assert node.reading("xid", CARD).verdict is Verdict.OK


def test_three_quiet_minutes_end_a_burst() -> None:
    def at(second: float, number: int) -> KernelLine:
        return {"at": second, "text": line(number)}

    bursts = gather([], [at(0, 31), at(180, 31), at(361, 31)])
    assert [burst.count for burst in bursts] == [2, 1]


def test_a_storm_over_many_visits_stays_one_burst(node) -> None:
    for _visit in range(50):
        node.logged(*[line(45)] * 200, line(119))
        node.later(60)
    kept = node.expectation.memory["xids"]
    assert len(kept) == 1
    assert kept[0]["count"] == 50 * 201
    assert len(str(kept)) < 600


def test_a_number_that_is_not_listed_is_shown_with_its_line(node) -> None:
    node.logged(line(888, "something new"))
    reading = node.reading("xid", CARD)
    assert (reading.verdict, reading.code) == (Verdict.WARN, "xid_unknown")
    assert "something new" in reading.values["line"]


def test_an_nvlink_error_on_a_4090_is_doubted_and_on_another_card_believed(node) -> None:
    node.logged(line(74))
    assert node.reading("xid", CARD).reason == "xid_impossible"
    assert node.reading("xid", CARD).verdict is Verdict.UNKNOWN
    node.card(0, name="NVIDIA GeForce RTX 3090")
    assert node.reading("xid", CARD).code == "nvlink_error"


def test_display_events_on_a_headless_host_are_only_noted(node) -> None:
    node.logged(line(56), line(16))
    reading = node.reading("xid", CARD)
    assert (reading.verdict, reading.reason) == (Verdict.OK, "xid_noted")


def test_nvswitch_lines_are_not_xids(node) -> None:
    node.logged("nvidia-nvswitch0: SXid (PCI:0000:41:00.0): 12028, Non-fatal")
    assert node.reading("xid", CARD).reason == "xid_none"


def test_a_card_that_is_gone_is_still_named_by_the_slot_it_had(node) -> None:
    node.expecting(gpus=(ExpectedGpu("GPU-a"), ExpectedGpu("GPU-b")))
    node.later()
    del node.facts["gpus"][0]
    node.logged(line(79))
    assert node.reading("xid", CARD).code == "gpu_fallen_off_bus"


def test_a_slot_that_nobody_knows_is_the_nodes(node) -> None:
    node.logged(line(79, slot="0000:c1:00"))
    assert node.reading("xid").code == "gpu_fallen_off_bus"
    assert node.reading("xid", CARD).verdict is Verdict.OK


def test_without_a_driver_a_quiet_log_proves_nothing(node) -> None:
    node.facts["driver"]["loaded"] = False
    assert node.reading("xid", CARD).verdict is Verdict.UNKNOWN


def test_memory_of_another_shape_is_dropped(node) -> None:
    for junk in ("text", [1, None, {}, {"slot": 1}, {"numbers": 3}], {"a": 1}):
        node.expecting(memory={"boot_id": node.boot, "xids": junk, "slots": junk})
        assert node.reading("xid", CARD).verdict is Verdict.OK
