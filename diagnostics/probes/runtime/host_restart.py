"""Did the host restart since the last visit. The boot id decides, not the uptime."""

from diagnostics.probes.reading import (
    Expectation,
    Layer,
    Observation,
    Probe,
    Reading,
    Value,
    Verdict,
)
from diagnostics.probes.sections import Why, unmet
from diagnostics.probes.subjects import NODE

NAME = "host_restart"
# How long a restart stays news.
NEWS_S = 1800.0
# A restart follows its announcement within this time (eight cards take long to come up).
ANNOUNCED_S = 900.0


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, ())
    if why is None and not observation.boot_id:
        why = Why("boot_id_unread", {})
    if why:
        return why.unknown(NAME, [NODE])
    values: dict[str, Value] = {"uptime_s": observation.uptime_s}
    noticed = restarted_at(observation, expectation)
    if noticed is not None and announced(noticed, expectation):
        return [Reading(NAME, NODE, Verdict.OK, "host_restarted_as_announced", "", values)]
    if noticed is not None:
        code = "unplanned_reboot"
        return [Reading(NAME, NODE, Verdict.FAIL, "host_restarted", code, values)]
    return [Reading(NAME, NODE, Verdict.OK, "host_kept_running", "", values)]


def announced(noticed: float, expectation: Expectation) -> bool:
    """Whether a person had said that the host will restart: not before, and not for long."""
    at = expectation.restart_announced_at
    return at is not None and 0 <= noticed - at < ANNOUNCED_S


def restarted_at(observation: Observation, expectation: Expectation) -> float | None:
    """When a restart was noticed (our clock, epoch seconds), if that is still news."""
    last = expectation.memory.get("boot_id")
    if last and observation.boot_id and last != observation.boot_id:
        return observation.taken_at
    noticed = expectation.memory.get("restarted_at")
    if isinstance(noticed, int | float) and observation.taken_at - noticed < NEWS_S:
        return float(noticed)
    return None


# Asked with the hardware: whatever else is broken, a restart may be why.
PROBE = Probe(NAME, "Host restart", Layer.HARDWARE, (), judge)
