"""Does the driver answer, or does it hang.

With persistence off eight cards may take longer than our time-out to wake up, so a time-out alone
is no verdict: it takes a process that will not die, or three silent visits in a row.
"""

from diagnostics.probes.facts import DriverAnswer, driver_answer, stuck_processes
from diagnostics.probes.reading import (
    Expectation,
    Layer,
    Observation,
    Probe,
    Reading,
    Value,
    Verdict,
)
from diagnostics.probes.sections import unmet
from diagnostics.probes.subjects import NODE

NAME = "driver_answers"
NEEDS = ("nvidia",)
SILENT_VISITS = 3

# What it said → (verdict, reason, code).
ANSWERS = {
    "ok": (Verdict.OK, "driver_answers", ""),
    "no_devices": (Verdict.OK, "driver_answers", ""),
    "mismatch": (Verdict.OK, "driver_answers", ""),
    "not_loaded": (Verdict.UNKNOWN, "driver_absent", ""),
    "no_tool": (Verdict.UNKNOWN, "no_nvidia_tool", ""),
    "no_library": (Verdict.UNKNOWN, "no_nvidia_tool", ""),
    "denied": (Verdict.UNKNOWN, "driver_denied", ""),
    "unknown_error": (Verdict.FAIL, "nvml_unknown_error", "nvml_init_unknown_error"),
}


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, NEEDS)
    answer = driver_answer(observation)
    if why or answer is None:
        return why.unknown(NAME, [NODE]) if why else []
    if answer["answer"] == "hung":
        return [_hung(observation, expectation, answer)]
    verdict, reason, code = ANSWERS.get(
        answer["answer"], (Verdict.UNKNOWN, "driver_answer_unclear", "")
    )
    values: dict[str, Value] = {"version": answer["driver"], "text": (answer["text"] or "")[:120]}
    return [Reading(NAME, NODE, verdict, reason, code, values)]


def _hung(observation: Observation, expectation: Expectation, answer: DriverAnswer) -> Reading:
    stuck = [p for p in stuck_processes(observation) if p["name"].startswith(("nvidia", "python"))]
    values: dict[str, Value] = {"silent": silent_visits(observation, expectation)}
    if stuck or answer["stuck"]:
        first = max(stuck, key=lambda process: process["seconds"], default=None)
        values["process"] = first["name"] if first else "nvidia-smi"
        values["stuck_s"] = first["seconds"] if first else None
        return Reading(NAME, NODE, Verdict.FAIL, "driver_stuck", "driver_hung", values)
    if silent_visits(observation, expectation) >= SILENT_VISITS:
        return Reading(NAME, NODE, Verdict.FAIL, "driver_silent", "driver_hung", values)
    return Reading(NAME, NODE, Verdict.UNKNOWN, "driver_slow", "", values)


def silent_visits(observation: Observation, expectation: Expectation) -> int:
    """How many visits in a row, this one counted, the driver did not answer in time."""
    answer = driver_answer(observation)
    before = expectation.memory.get("silent")
    before = before if isinstance(before, int) else 0
    if answer is None:
        return before
    return before + 1 if answer["answer"] == "hung" else 0


PROBE = Probe(NAME, "Driver answers", Layer.DRIVER, NEEDS, judge)
