"""Inodes on the root file system and on Docker's: without one no file can be made."""

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
from diagnostics.probes.storage.filling import FAIL_PCT, MOUNTS, WARN_PCT, fullest
from diagnostics.probes.subjects import NODE

NAME = "disk_inodes"
NEEDS = ("disks",)


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    why = unmet(observation, NEEDS)
    rows = [row for row in file_systems(observation, "inodes") if row["mount"] in MOUNTS]
    if why or not rows:
        return (why or Why("section_garbage", {"section": "disks"})).unknown(NAME, [NODE])
    found = fullest(rows)
    if found is None:  # btrfs and its like make inodes as they go
        return [Reading(NAME, NODE, Verdict.OK, "inodes_not_counted")]
    row, used = found
    values: dict[str, Value] = {"mount": row["mount"], "used_pct": used}
    if used < WARN_PCT:
        return [Reading(NAME, NODE, Verdict.OK, "inodes_free", "", values)]
    verdict = Verdict.FAIL if used >= FAIL_PCT else Verdict.WARN
    reason = "inodes_gone" if verdict is Verdict.FAIL else "inodes_scarce"
    return [Reading(NAME, NODE, verdict, reason, "inodes_exhausted", values)]


PROBE = Probe(NAME, "Inodes", Layer.STORAGE, NEEDS, judge)
