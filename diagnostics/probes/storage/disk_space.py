"""Room on the root file system and on Docker's."""

from diagnostics.probes.facts import file_systems
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
from diagnostics.probes.storage.filling import FAIL_PCT, WARN_PCT, fullest
from diagnostics.probes.subjects import NODE

NAME = "disk_space"
NEEDS = ("disks",)


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, NEEDS)
    found = fullest(file_systems(observation, "space"))
    if why or found is None:
        return (why or Why("section_garbage", {"section": "disks"})).unknown(NAME, [NODE])
    row, used = found
    values: dict[str, Value] = {
        "mount": row["mount"],
        "used_pct": used,
        "free_gib": round(row["free"] / (1 << 30), 1),
    }
    if used < WARN_PCT:
        return [Reading(NAME, NODE, Verdict.OK, "disk_room", "", values)]
    verdict = Verdict.FAIL if used >= FAIL_PCT else Verdict.WARN
    reason = "disk_full" if verdict is Verdict.FAIL else "disk_filling"
    return [Reading(NAME, NODE, verdict, reason, "disk_full", values)]


PROBE = Probe(NAME, "Disk space", Layer.STORAGE, NEEDS, judge)
