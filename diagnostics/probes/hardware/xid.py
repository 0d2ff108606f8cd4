"""Driver error numbers in the kernel log, judged by xid.csv.

Independent of whether the card answers, so it stands beside the card's own state. Fatal numbers
hold until the next boot, others for a while; then the card is green again, explicitly.
"""

from collections.abc import Iterable, Mapping

from diagnostics.catalogue.load import Xid
from diagnostics.probes.bursts import Burst, gather, read
from diagnostics.probes.facts import kernel_log, kernel_module
from diagnostics.probes.reading import (
    WORST,
    Expectation,
    Layer,
    Observation,
    Probe,
    Reading,
    Value,
    Verdict,
)
from diagnostics.probes.sections import Why, unmet
from diagnostics.probes.subjects import NODE, Subject, subjects

NAME = "xid"
NEEDS = ("kernel",)


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    found = subjects(observation, expectation)
    module = kernel_module(observation)
    why = unmet(observation, NEEDS)
    if why is None and module is not None and not module["loaded"]:
        why = Why("driver_absent", {})  # no driver writes no errors: silence proves nothing
    if why:
        return why.unknown(NAME, [NODE, *(subject.target for subject in found)])
    now = clock(observation)
    by_slot: dict[str, list[Burst]] = {}
    for burst in known(observation, expectation):
        if burst.active(now):
            by_slot.setdefault(burst.slot, []).append(burst)
    readings = [_card(subject, by_slot.pop(subject.address, [])) for subject in found]
    # What happened in a slot that nobody knows is the node's.
    rest = [burst for bursts in by_slot.values() for burst in bursts]
    return [*readings, _worst(NODE, rest, is_4090=False)]


def clock(observation: Observation) -> float:
    """Now, by the host's own clock: its log lines are stamped with it."""
    return observation.taken_at if observation.host_time is None else observation.host_time


def known(observation: Observation, expectation: Expectation) -> list[Burst]:
    """Bursts of this boot: remembered ones and what the log has added."""
    memory: Mapping[str, object] = expectation.memory
    same = memory.get("boot_id") == observation.boot_id
    log = kernel_log(observation)
    return gather(read(memory.get("xids")) if same else [], log["lines"] if log else [])


def _card(subject: Subject, bursts: list[Burst]) -> Reading:
    return _worst(subject.target, bursts, subject.is_4090)


def _worst(target: str, bursts: Iterable[Burst], is_4090: bool) -> Reading:
    readings = [_reading(target, burst, is_4090) for burst in bursts]
    clear = Reading(NAME, target, Verdict.OK, "xid_none")
    return max(readings, key=lambda reading: WORST[reading.verdict], default=clear)


def _reading(target: str, burst: Burst, is_4090: bool) -> Reading:
    root = burst.root()
    values: dict[str, Value] = {
        "number": root.number if root else burst.numbers[0],
        "name": root.name if root else "",
        "count": burst.count,
        "others": ", ".join(str(n) for n in burst.numbers if not root or n != root.number),
        "line": burst.line,
        "slot": burst.slot,
    }
    if root is None or burst.for_the_record():
        reason = "xid_consequence" if root is None else "xid_noted"
        return Reading(NAME, target, Verdict.OK, reason, "", values)
    verdict, reason = _judge(root, is_4090)
    code = burst.code() if verdict in {Verdict.WARN, Verdict.FAIL} else ""
    return Reading(NAME, target, verdict, reason, code, values)


def _judge(root: Xid, is_4090: bool) -> tuple[Verdict, str]:
    if root.fault == "xid_unknown":
        return Verdict.WARN, "xid_not_listed"
    if root.consequence_only:
        return Verdict.FAIL, "xid_recovery"
    if root.severity == "fatal":
        return Verdict.FAIL, "xid_fatal"
    if root.severity == "not_applicable":
        # A 4090 cannot have it: the record or the reading is wrong, not the card.
        return (Verdict.UNKNOWN, "xid_impossible") if is_4090 else (Verdict.WARN, "xid_action")
    return Verdict.WARN, "xid_program" if root.severity == "app" else "xid_action"


PROBE = Probe(NAME, "Driver errors (Xid)", Layer.HARDWARE, NEEDS, judge)
