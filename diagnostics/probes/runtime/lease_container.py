"""Does the container of each lease run."""

from diagnostics.probes.access.hops import named
from diagnostics.probes.facts import containers
from diagnostics.probes.reading import (
    Expectation,
    ExpectedLease,
    Layer,
    Observation,
    Probe,
    Reading,
    SectionState,
    Value,
    Verdict,
)
from diagnostics.probes.sections import unmet
from diagnostics.probes.subjects import NODE

NAME = "lease_container"
NEEDS = ("containers",)
NO_DAEMON = "Cannot connect to the Docker daemon"


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    leases = [lease for lease in expectation.leases if lease.kind == "container"]
    leases = [lease for lease in leases if lease.container]
    targets = [f"lease:{lease.order_id}" for lease in leases]
    if not leases:
        return []
    why = unmet(observation, NEEDS)
    if why is None:
        return [*(_one(lease, observation) for lease in leases), _engine_up()]
    section = observation.sections.get("containers")
    if section and section.state is SectionState.ERROR and NO_DAEMON in section.text:
        code = "docker_daemon_down"
        down = Reading(NAME, NODE, Verdict.FAIL, "docker_down", code)
        return [*why.unknown(NAME, targets), down]
    return why.unknown(NAME, [*targets, NODE])


def _engine_up() -> Reading:
    return Reading(NAME, NODE, Verdict.OK, "docker_up")


def _one(lease: ExpectedLease, observation: Observation) -> Reading:
    target = f"lease:{lease.order_id}"
    found = named(containers(observation), lease.container)
    values: dict[str, Value] = {"container": lease.container}
    if found is None:
        return Reading(NAME, target, Verdict.FAIL, "container_gone", "container_stopped", values)
    values |= {"state": found["state"], "exit_code": found["exit_code"]}
    if found["state"] == "running":
        return Reading(NAME, target, Verdict.OK, "container_runs", "", values)
    reason = "container_killed_for_memory" if found["oom"] else "container_stopped"
    return Reading(NAME, target, Verdict.FAIL, reason, "container_stopped", values)


PROBE = Probe(NAME, "Container of the lease", Layer.RUNTIME, NEEDS, judge)
