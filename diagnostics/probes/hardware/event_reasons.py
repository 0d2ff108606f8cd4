"""Why a card lowers its clocks: the hardware's own bits. A power cap at the limit is normal."""

from diagnostics.probes.facts import Card
from diagnostics.probes.hardware.event_bits import (
    HW_SLOWDOWN,
    HW_THERMAL,
    POWER_BRAKE,
    POWER_CAP,
    SW_THERMAL,
)
from diagnostics.probes.per_card import each_card, unread
from diagnostics.probes.reading import Layer, Probe, Reading, Value, Verdict
from diagnostics.probes.subjects import Subject

NAME = "event_reasons"
HOT_C = 80


def judge_card(subject: Subject, card: Card) -> Reading:
    bits = card["reasons"]
    if bits is None:
        return unread(NAME, subject, "reasons")
    verdict, reason, code = _judge_bits(bits, (card["temperature_c"] or 0) >= HOT_C)
    values: dict[str, Value] = {"bits": f"{bits:#x}", "power_w": card["power_w"],
                                "limit_w": card["limit_w"]}  # fmt: skip
    return Reading(NAME, subject.target, verdict, reason, code, values)


def _judge_bits(bits: int, hot: bool) -> tuple[Verdict, str, str]:
    if bits & POWER_BRAKE:
        return Verdict.FAIL, "power_brake", "hw_power_brake_slowdown"
    if bits & HW_THERMAL:
        return Verdict.FAIL, "heat_bit", "hw_thermal_slowdown"
    if bits & HW_SLOWDOWN:
        # Clocks are halved or worse, and the driver does not say by what.
        code = "hw_thermal_slowdown" if hot else "hw_power_brake_slowdown"
        return Verdict.FAIL, "hw_slowdown", code
    if bits & SW_THERMAL:
        return Verdict.WARN, "heat_bit", "thermal_throttling"
    if bits & POWER_CAP:
        return Verdict.OK, "power_cap", ""
    return Verdict.OK, "clocks_free", ""


PROBE = Probe(
    NAME, "Clock limits", Layer.HARDWARE, ("gpus",), each_card(NAME, judge_card), repeat=2
)
