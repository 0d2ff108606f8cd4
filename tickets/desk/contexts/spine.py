"""The spine of the node page: readings, layer by layer, in the order of an examination."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from diagnostics.probes.reading import BESIDE, LADDER, WORST, Layer, Verdict
from fleet.inventory.models import Gpu
from fleet.leases.models import AccessPath, Lease
from tickets import wording
from tickets.wording import Sign

BLOCKED = "layer_below"
Stored = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Names:
    """The rows behind targets, so that a card is told with its slot and a port with its address."""

    cards: Mapping[str, Gpu] = field(default_factory=dict)
    ports: Mapping[str, AccessPath] = field(default_factory=dict)

    def of(self, target: str) -> str:
        """What this target is called."""
        _kind, _colon, key = target.partition(":")
        if target.startswith("gpu:") and key in self.cards:
            return wording.card(key, self.cards[key].slot)
        if target.startswith("path:") and key in self.ports:
            return wording.port(self.ports[key])
        return wording.target_name(target)


def names(gpus: Iterable[Gpu], leases: Iterable[Lease]) -> Names:
    """Names for the targets of one node."""
    return Names(
        cards={gpu.uuid: gpu for gpu in gpus},
        ports={str(path.pk): path for lease in leases for path in lease.paths.all()},
    )


@dataclass(frozen=True, slots=True)
class ReadingRow:
    """One probe's word on one target; `values` are those its sentence does not tell."""

    verdict: Sign
    probe: str
    target: str
    said: str
    values: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LayerBlock:
    """One layer: what is not well stands open, what is well is folded away."""

    key: str
    name: str
    verdict: Sign
    lowest: bool
    trouble: tuple[ReadingRow, ...]
    blocked: tuple[ReadingRow, ...]
    fine: tuple[ReadingRow, ...]
    last: bool = False


def ladder(readings: Sequence[Stored], known: Names, lowest: str) -> tuple[LayerBlock, ...]:
    """The layers that build on each other, lowest first."""
    return _blocks(LADDER, readings, known, lowest)


def beside(readings: Sequence[Stored], known: Names, lowest: str) -> tuple[LayerBlock, ...]:
    """Network and storage: they block nothing above them."""
    return _blocks(BESIDE, readings, known, lowest)


def _blocks(
    layers: Iterable[Layer], readings: Sequence[Stored], known: Names, lowest: str
) -> tuple[LayerBlock, ...]:
    sorted_out = {layer: [each for each in readings if each["layer"] == layer] for layer in layers}
    blocks = [_block(layer, each, known, lowest) for layer, each in sorted_out.items() if each]
    return (*blocks[:-1], *(replace(block, last=True) for block in blocks[-1:]))


def _block(layer: Layer, readings: list[Stored], known: Names, lowest: str) -> LayerBlock:
    ordered = sorted(readings, key=lambda each: -WORST.get(each["verdict"], 1))
    parts: dict[str, list[ReadingRow]] = {"trouble": [], "blocked": [], "fine": []}
    for each in ordered:
        parts[_part(each)].append(_row(each, known))
    return LayerBlock(
        key=layer,
        name=wording.layer(layer),
        verdict=wording.verdict(ordered[0]["verdict"]),
        lowest=layer == lowest,
        trouble=tuple(parts["trouble"]),
        blocked=tuple(parts["blocked"]),
        fine=tuple(parts["fine"]),
    )


def _part(reading: Stored) -> str:
    if reading["verdict"] == Verdict.OK:
        return "fine"
    return "blocked" if reading["reason"] == BLOCKED else "trouble"


def _row(reading: Stored, known: Names) -> ReadingRow:
    said = wording.sentence(reading["reason"], reading["values"])
    told = ((name, given) for name, given in sorted(reading["values"].items()) if given != "")
    values = [wording.value(name, given) for name, given in told]
    return ReadingRow(
        verdict=wording.verdict(reading["verdict"]),
        probe=wording.probe(reading["probe"]),
        target=known.of(reading["target"]),
        said=said,
        values=tuple((name, value) for name, value in values if value not in said),
    )
