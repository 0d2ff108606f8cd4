"""Each published port as the customer dials it, and the hop that fails when it does not answer."""

from diagnostics.probes.access import hops
from diagnostics.probes.reading import (
    Expectation,
    ExpectedPath,
    Layer,
    Observation,
    OutsideCheck,
    Probe,
    Reading,
    Value,
    Verdict,
)

NAME = "access_path"


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    checks = {check.path_id: check for check in observation.outside}
    return [_one(path, checks.get(path.id), observation, expectation) for path in expectation.paths]


def _one(
    path: ExpectedPath,
    check: OutsideCheck | None,
    observation: Observation,
    expectation: Expectation,
) -> Reading:
    target = f"path:{path.id}"
    values: dict[str, Value] = {"host": path.host, "port": path.port}
    if check is None:
        return Reading(NAME, target, Verdict.UNKNOWN, "path_not_checked", "", values)
    values |= {"banner": check.banner, "answer_ms": check.ms}
    if check.outcome == "ok":
        return Reading(NAME, target, Verdict.OK, "path_answers", "", values)
    found = hops.find(path, check, observation, expectation)
    if check.outcome == "error" and not found.hop:
        # Our own side: a name that does not resolve, no socket left.
        return Reading(NAME, target, Verdict.UNKNOWN, "path_error", "", values)
    values |= {"outcome": check.outcome, "hop": found.hop, "node_port": path.node_port}
    if found.holder:
        values["holder"] = found.holder
    return Reading(NAME, target, Verdict.FAIL, found.reason, found.code, values)


# The visit itself looks three times before it says that a port is dead.
PROBE = Probe(NAME, "Published port from outside", Layer.ACCESS, (), judge)
