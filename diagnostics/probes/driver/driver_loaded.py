"""Is NVIDIA's kernel module loaded."""

from diagnostics.probes.facts import driver_answer, kernel_module, pci_functions
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

NAME = "driver_loaded"
NEEDS = ("driver",)


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, NEEDS)
    module, answer = kernel_module(observation), driver_answer(observation)
    if why or module is None:
        return why.unknown(NAME, [NODE]) if why else []
    said = answer["answer"] if answer else ""
    values: dict[str, Value] = {"version": module["version"], "kernel": module["kernel"]}
    if said == "ok" or (module["loaded"] and said != "not_loaded"):
        return [Reading(NAME, NODE, Verdict.OK, "driver_loaded", "", values)]
    if not expectation.gpus and not pci_functions(observation):
        return [Reading(NAME, NODE, Verdict.UNKNOWN, "no_card_no_driver")]
    if module["nouveau"]:
        code = "nouveau_conflict"
        return [Reading(NAME, NODE, Verdict.FAIL, "nouveau_loaded", code, values)]
    code = "driver_not_loaded"
    return [Reading(NAME, NODE, Verdict.FAIL, "driver_not_loaded", code, values)]


PROBE = Probe(NAME, "Driver loaded", Layer.DRIVER, NEEDS, judge)
