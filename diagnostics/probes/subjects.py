"""Which cards a visit speaks of: those on record and those seen, matched by UUID or slot. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.probes.addresses import normal
from diagnostics.probes.facts import Card, cards
from diagnostics.probes.reading import Expectation, ExpectedGpu, Observation

NODE = "node"
RTX_4090 = "RTX 4090"


@dataclass(frozen=True, slots=True)
class Subject:
    """A card as a target: what the inventory says of it, and what the driver does."""

    target: str
    address: str
    expected: ExpectedGpu | None
    card: Card | None

    @property
    def model(self) -> str:
        """What the driver calls it, else what the inventory does."""
        name = self.card["name"] if self.card else None
        return name or (self.expected.model if self.expected else "")

    @property
    def is_4090(self) -> bool:
        """Facts about the 4090 hold for nothing else."""
        return RTX_4090 in self.model


def recorded_slots(expectation: Expectation) -> Mapping[str, str]:
    """PCI address → UUID, as the inventory and earlier visits knew them."""
    kept = expectation.memory.get("slots")
    slots = dict(kept) if isinstance(kept, dict) else {}
    slots.update({normal(gpu.pci_bus_id): gpu.uuid for gpu in expectation.gpus if gpu.pci_bus_id})
    return slots


def subjects(observation: Observation, expectation: Expectation) -> list[Subject]:
    """Every card on record, then every other one the driver shows by a UUID."""
    slots = recorded_slots(expectation)
    seen: dict[str, Card] = {}
    for card in cards(observation):
        uuid = card["uuid"] or slots.get(card["pci"] or "", "")
        if uuid:
            seen[uuid] = card
    found = [_subject(gpu.uuid, gpu, seen.pop(gpu.uuid, None), slots) for gpu in expectation.gpus]
    return found + [_subject(uuid, None, card, slots) for uuid, card in seen.items()]


def nameless(observation: Observation, expectation: Expectation) -> list[Card]:
    """Cards the driver shows without a UUID in a slot nobody has on record."""
    slots = recorded_slots(expectation)
    return [c for c in cards(observation) if not c["uuid"] and (c["pci"] or "") not in slots]


def targets(observation: Observation, expectation: Expectation) -> list[str]:
    """The targets of all cards."""
    return [subject.target for subject in subjects(observation, expectation)]


def _subject(
    uuid: str, expected: ExpectedGpu | None, card: Card | None, slots: Mapping[str, str]
) -> Subject:
    address = (card and card["pci"]) or next((at for at, who in slots.items() if who == uuid), "")
    return Subject(f"gpu:{uuid}", address, expected, card)
