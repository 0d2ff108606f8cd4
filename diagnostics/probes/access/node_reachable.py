"""Did the node let us in and tell us about itself."""

from diagnostics.probes.reading import Expectation, Layer, Observation, Probe, Reading, Verdict
from diagnostics.probes.subjects import NODE

NAME = "node_reachable"

# Observation.reached → (verdict, reason, code). A node that is slow is not dead.
ANSWERS = {
    "ok": (Verdict.OK, "node_reached", ""),
    "unreachable": (Verdict.FAIL, "node_unreachable", "node_unreachable"),
    "host_key_changed": (Verdict.FAIL, "host_key_changed", "ssh_host_key_changed"),
    "auth_refused": (Verdict.FAIL, "auth_refused", "probe_access_denied"),
    "timeout": (Verdict.FAIL, "node_too_slow", "probe_access_denied"),
    "no_python": (Verdict.FAIL, "no_python", "probe_access_denied"),
    "kit_refused": (Verdict.FAIL, "kit_refused", "probe_access_denied"),
}


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    answer = ANSWERS.get(observation.reached)
    if answer is None:
        values = {"reached": observation.reached}
        return [Reading(NAME, NODE, Verdict.UNKNOWN, "not_reached", "", values)]
    verdict, reason, code = answer
    return [Reading(NAME, NODE, verdict, reason, code)]


PROBE = Probe(NAME, "Node reachable", Layer.ACCESS, (), judge)
