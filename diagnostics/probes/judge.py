"""One visit judged: all readings, the node's verdict, the lowest layer that fails. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.catalogue.load import FAULTS, explains
from diagnostics.probes import bursts
from diagnostics.probes.driver.driver_answers import silent_visits
from diagnostics.probes.facts import cards, kernel_log
from diagnostics.probes.hardware import xid
from diagnostics.probes.reading import (
    BESIDE,
    LADDER,
    WORST,
    Expectation,
    Layer,
    Observation,
    Probe,
    Reading,
    SectionState,
    Verdict,
)
from diagnostics.probes.registry import PROBES
from diagnostics.probes.runtime.host_restart import restarted_at
from diagnostics.probes.subjects import NODE, recorded_slots

SLOTS_CAP = 32
_LAYERS = {probe.name: probe.layer for probe in PROBES}
_ORDER = {layer: place for place, layer in enumerate((*LADDER, *BESIDE))}


@dataclass(frozen=True, slots=True)
class Judgement:
    """`failing_layer` is the lowest layer with a fault that no other one explains, or empty."""

    readings: tuple[Reading, ...]
    verdict: Verdict
    failing_layer: str


def judge(observation: Observation, expectation: Expectation) -> Judgement:
    """Ask every probe. Never raises: a probe that breaks says nothing about the node."""
    readings = [reading for probe in PROBES for reading in _ask(probe, observation, expectation)]
    readings = _above_a_failure(readings)
    verdict = max((r.verdict for r in readings), key=lambda v: WORST[v], default=Verdict.UNKNOWN)
    return Judgement(tuple(readings), verdict, _failing_layer(readings, expectation))


def _ask(probe: Probe, observation: Observation, expectation: Expectation) -> list[Reading]:
    try:
        return probe.judge(observation, expectation)
    except Exception as error:
        values = {"error": type(error).__name__}
        return [Reading(probe.name, NODE, Verdict.UNKNOWN, "probe_error", "", values)]


def layer_of(reading: Reading) -> Layer:
    """Where a fault sits: as the catalogue says, if that is a step of the ladder."""
    fault = FAULTS.get(reading.code)
    if fault and Layer(fault.layer) in LADDER:
        return Layer(fault.layer)
    return _LAYERS[reading.probe]


def _above_a_failure(readings: Sequence[Reading]) -> list[Reading]:
    """What stands on a broken step cannot be judged: it becomes unknown.

    Except what explains the failure below it: a driver that is not loaded hides cards.
    """
    broken: dict[str, list[Reading]] = {}
    for reading in readings:
        if reading.verdict is Verdict.FAIL and layer_of(reading) in LADDER:
            broken.setdefault(reading.target, []).append(reading)
    return [
        Reading(r.probe, r.target, Verdict.UNKNOWN, "layer_below")
        if _stands_on_any(r, [*broken.get(r.target, []), *broken.get(NODE, [])])
        else r
        for r in readings
    ]


def _stands_on_any(reading: Reading, failures: Iterable[Reading]) -> bool:
    layer = _LAYERS[reading.probe]
    return layer in LADDER and any(
        _ORDER[layer_of(failure)] < _ORDER[layer] and not explains(reading.code, failure.code)
        for failure in failures
    )


def _failing_layer(readings: Iterable[Reading], expectation: Expectation) -> str:
    failing = [reading for reading in readings if reading.verdict is Verdict.FAIL]
    roots = [
        reading
        for reading in failing
        if not any(is_consequence(reading, other, expectation) for other in failing)
    ]
    layers = sorted((layer_of(reading) for reading in roots), key=lambda layer: _ORDER[layer])
    return str(layers[0]) if layers else ""


def is_consequence(reading: Reading, other: Reading, expectation: Expectation) -> bool:
    """Whether `other` explains `reading`: the catalogue says so, and they concern each other."""
    if not explains(other.code, reading.code):
        return False
    one, two = reading.target, other.target
    return NODE in {one, two} or one == two or any({one, two} <= kin for kin in _kin(expectation))


def _kin(expectation: Expectation) -> list[set[str]]:
    """Each lease with its cards and its ports."""
    return [
        {
            f"lease:{lease.order_id}",
            *(f"gpu:{uuid}" for uuid in lease.gpu_uuids),
            *(f"path:{path.id}" for path in expectation.paths if path.lease == lease.order_id),
        }
        for lease in expectation.leases
    ]


def remember(observation: Observation, expectation: Expectation) -> dict[str, object]:
    """What the next visit must know; a visit that could not read something keeps what was known.

    Keys: `boot_id`, `cursor` (kernel log), `xids` (bursts), `slots` (PCI address → UUID),
    `silent` (visits without an answer of the driver), `restarted_at`.
    """
    memory = expectation.memory
    if observation.reached != "ok" or not observation.boot_id:
        return dict(memory)
    same = memory.get("boot_id") == observation.boot_id
    log = kernel_log(observation)
    section = observation.sections.get("kernel")
    read = log is not None and section is not None and section.state is SectionState.OK
    cursor = log["cursor"] if read and log else memory.get("cursor", "") if same else ""
    slots = {c["pci"]: c["uuid"] for c in cards(observation) if c["pci"] and c["uuid"]}
    known = {**recorded_slots(expectation), **slots}
    kept: dict[str, object] = {
        "boot_id": observation.boot_id,
        "cursor": cursor,
        "xids": bursts.write(xid.known(observation, expectation), xid.clock(observation)),
        "slots": dict(list(known.items())[-SLOTS_CAP:]),
        "silent": silent_visits(observation, expectation),
    }
    restarted = restarted_at(observation, expectation)
    return kept if restarted is None else {**kept, "restarted_at": restarted}
