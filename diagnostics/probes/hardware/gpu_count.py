"""The cards on record, on the bus and in the driver: are they all there, and are they the same."""

from collections.abc import Mapping

from diagnostics.probes.addresses import normal
from diagnostics.probes.facts import PciFunction, cards, pci_functions
from diagnostics.probes.reading import (
    Expectation,
    ExpectedGpu,
    Layer,
    Observation,
    Probe,
    Reading,
    Value,
    Verdict,
)
from diagnostics.probes.sections import Why, unmet
from diagnostics.probes.subjects import NODE, Subject, recorded_slots, subjects

NAME = "gpu_count"
NEEDS = ("pci", "gpus")

Bus = Mapping[str, PciFunction]


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    found = subjects(observation, expectation)
    why = unmet(observation, ("pci",))
    if why:
        return why.unknown(NAME, [NODE, *(s.target for s in found if s.expected)])
    bus = {function["pci"]: function for function in pci_functions(observation)}
    asked = unmet(observation, ("gpus",))
    readings = [
        _card(subject, subject.expected, bus, found, asked) for subject in found if subject.expected
    ]
    readings.append(_counts(observation, expectation, bus, found, asked))
    return readings + _leased(observation, expectation, asked)


def _card(
    subject: Subject, expected: ExpectedGpu, bus: Bus, found: list[Subject], asked: Why | None
) -> Reading:
    """One card on record."""
    values: dict[str, Value] = {"uuid": expected.uuid, "slot": subject.address}
    card = subject.card
    if card is not None and card["uuid"] == expected.uuid:
        return Reading(NAME, subject.target, Verdict.OK, "gpu_present", "", values)
    function = bus.get(subject.address)
    if card is not None or (function and function["dead"]):
        return Reading(NAME, subject.target, Verdict.UNKNOWN, "card_not_answering")
    if not subject.address:
        if asked:
            return asked.unknown(NAME, [subject.target])[0]
        return Reading(NAME, subject.target, Verdict.FAIL, "gpu_not_seen", "gpu_missing", values)
    if function is None:
        return Reading(NAME, subject.target, Verdict.FAIL, "gpu_not_on_bus", "gpu_missing", values)
    if asked:
        return asked.unknown(NAME, [subject.target])[0]
    instead = [o for o in found if not o.expected and o.address == subject.address and o.card]
    if instead:
        values["other"] = instead[0].target.removeprefix("gpu:")
        code = "gpu_spec_mismatch"
        return Reading(NAME, subject.target, Verdict.FAIL, "gpu_swapped", code, values)
    return Reading(NAME, subject.target, Verdict.FAIL, "gpu_not_in_driver", "gpu_missing", values)


def _counts(
    observation: Observation,
    expectation: Expectation,
    bus: Bus,
    found: list[Subject],
    asked: Why | None,
) -> Reading:
    """The node's own line: three counts, and cards that nobody has on record."""
    values: dict[str, Value] = {
        "bus": len(bus),
        "driver": None if asked else len(cards(observation)),
        "record": len(expectation.gpus),
    }
    if not expectation.gpus:
        return Reading(NAME, NODE, Verdict.UNKNOWN, "no_cards_on_record", "", values)
    known = set(recorded_slots(expectation))
    addressed = sum(bool(gpu.pci_bus_id) or gpu.uuid in recorded_slots(expectation).values()
                    for gpu in expectation.gpus)  # fmt: skip
    if asked and len(bus) < len(expectation.gpus) and addressed < len(expectation.gpus):
        return Reading(NAME, NODE, Verdict.FAIL, "gpu_count_short", "gpu_missing", values)
    if asked:
        return asked.unknown(NAME, [NODE])[0]
    taken = {normal(gpu.pci_bus_id) for gpu in expectation.gpus}
    strangers = [s for s in found if not s.expected and s.address not in taken & known]
    if strangers:
        values["uuid"] = strangers[0].target.removeprefix("gpu:")
        code = "gpu_spec_mismatch"
        return Reading(NAME, NODE, Verdict.WARN, "gpu_not_on_record", code, values)
    if len({len(bus), len(cards(observation)), len(expectation.gpus)}) == 1:
        return Reading(NAME, NODE, Verdict.OK, "gpu_counts_agree", "", values)
    return Reading(NAME, NODE, Verdict.UNKNOWN, "gpu_counts_differ", "", values)


def _leased(observation: Observation, expectation: Expectation, asked: Why | None) -> list[Reading]:
    """Leased cards that the inventory does not place on this node."""
    on_record = {gpu.uuid for gpu in expectation.gpus}
    seen = {card["uuid"] for card in cards(observation)}
    readings = []
    for lease in expectation.leases:
        elsewhere = [uuid for uuid in lease.gpu_uuids if uuid not in on_record]
        if not elsewhere:
            continue
        target = f"lease:{lease.order_id}"
        gone = [uuid for uuid in elsewhere if uuid not in seen]
        if asked:
            readings += asked.unknown(NAME, [target])
        elif gone:
            values = {"uuid": gone[0]}
            readings.append(
                Reading(NAME, target, Verdict.FAIL, "leased_gpu_absent", "gpu_missing", values)
            )
        else:
            readings.append(Reading(NAME, target, Verdict.OK, "leased_gpus_present"))
    return readings


PROBE = Probe(NAME, "Cards present", Layer.HARDWARE, NEEDS, judge)
