"""Heat: the thermal bits first, then the margin, then the card's own limits, then fixed ones.

A 4090 holds itself at 83 or 84 °C by lowering clocks, so a line at 85 °C would never be crossed.
A margin of 0 or less on a cool card means that the driver does not know it, not that it is hot.
"""

from dataclasses import dataclass

from diagnostics.probes.facts import Card
from diagnostics.probes.hardware.event_bits import HW_THERMAL, SW_THERMAL
from diagnostics.probes.per_card import each_card, unread
from diagnostics.probes.reading import Layer, Probe, Reading, Value, Verdict
from diagnostics.probes.subjects import Subject

NAME = "temperature"
MARGIN_WARN_C, MARGIN_FAIL_C = 5, 0
BELOW_LIMIT_C = 3
FIXED_WARN_C, FIXED_FAIL_C = 80, 84
COOL_C = 60


@dataclass(frozen=True, slots=True)
class _Rule:
    """Which rule fired: the sentence's ending, and the limits in °C."""

    reason: str
    verdict: Verdict
    values: dict[str, Value]


def judge_card(subject: Subject, card: Card) -> Reading:
    bits, heat = card["reasons"], card["temperature_c"]
    values: dict[str, Value] = {"temperature_c": heat, "margin_c": card["margin_c"]}
    if bits is not None and bits & HW_THERMAL:
        code = "hw_thermal_slowdown"
        return Reading(NAME, subject.target, Verdict.FAIL, "heat_hw_slowdown", code, values)
    if bits is not None and bits & SW_THERMAL:
        code = "thermal_throttling"
        return Reading(NAME, subject.target, Verdict.FAIL, "heat_sw_slowdown", code, values)
    rule = _margin(card) or _own_limits(card) or _fixed(card)
    if rule is None:
        return unread(NAME, subject, "temperature_c")
    code = "" if rule.verdict is Verdict.OK else "thermal_throttling"
    return Reading(NAME, subject.target, rule.verdict, rule.reason, code, values | rule.values)


def _graded(rule: str, heat: int, warn: int, fail: int) -> _Rule:
    verdict = Verdict.FAIL if heat >= fail else Verdict.WARN if heat >= warn else Verdict.OK
    return _Rule(f"heat_{rule}_{verdict}", verdict, {"warn_c": warn, "fail_c": fail})


def _margin(card: Card) -> _Rule | None:
    margin, heat = card["margin_c"], card["temperature_c"]
    if margin is None or (margin <= MARGIN_WARN_C and heat is not None and heat < COOL_C):
        return None
    return _graded("margin", -margin, -MARGIN_WARN_C, -MARGIN_FAIL_C)


def _own_limits(card: Card) -> _Rule | None:
    heat, target, slowdown = card["temperature_c"], card["target_c"], card["slowdown_c"]
    if heat is None or target is None or slowdown is None:
        return None
    return _graded("limits", heat, target - BELOW_LIMIT_C, slowdown - BELOW_LIMIT_C)


def _fixed(card: Card) -> _Rule | None:
    heat = card["temperature_c"]
    return None if heat is None else _graded("fixed", heat, FIXED_WARN_C, FIXED_FAIL_C)


PROBE = Probe(NAME, "Temperature", Layer.HARDWARE, ("gpus",), each_card(NAME, judge_card), repeat=2)
