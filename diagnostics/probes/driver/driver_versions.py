"""Do the kernel module and the libraries belong to the same driver."""

from diagnostics.probes.facts import driver_answer, kernel_module
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

NAME = "driver_versions"
NEEDS = ("nvidia",)


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, NEEDS)
    answer, module = driver_answer(observation), kernel_module(observation)
    if why or answer is None:
        return why.unknown(NAME, [NODE]) if why else []
    loaded = module["version"] if module else ""
    values: dict[str, Value] = {"module": loaded, "library": answer["driver"]}
    if answer["answer"] == "mismatch":
        code = "driver_library_mismatch"
        return [Reading(NAME, NODE, Verdict.FAIL, "driver_mismatch", code, values)]
    if answer["answer"] in {"ok", "no_devices"}:
        return [Reading(NAME, NODE, Verdict.OK, "driver_versions_agree", "", values)]
    return [Reading(NAME, NODE, Verdict.UNKNOWN, "driver_versions_unread", "", values)]


PROBE = Probe(NAME, "Driver versions", Layer.DRIVER, NEEDS, judge)
