"""The few facts of a host that are kept between visits, and what changed among them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.probes import facts
from diagnostics.probes.reading import Observation

GPU_FACTS = {"vbios": "vbios_changed", "power_limit_w": "power_limit_changed"}
NODE_FACTS = {
    "driver": "driver_changed",
    "kernel": "kernel_changed",
    "boot_id": "node_rebooted",
}

# What people read of each card; only of the newest visit, never carried over from an older one.
MEASURED = (
    "temperature_c",
    "fan_pct",
    "power_w",
    "limit_w",
    "util_pct",
    "memory_used_mib",
    "memory_total_mib",
    "gen",
    "width_x",
)

Facts = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact that differs from the last visit's. `gpu` is a UUID, empty for the node's own."""

    kind: str
    before: object
    after: object
    gpu: str = ""


def keep(seen: Observation, before: Facts) -> dict[str, object]:
    """The facts of this visit; what it could not read stays as it was."""
    module, answer = facts.kernel_module(seen), facts.driver_answer(seen)
    node = {
        "driver": (module and module["version"]) or (answer and answer["driver"]),
        "kernel": module and module["kernel"],
        "boot_id": seen.boot_id,
    }
    cards = dict(_cards(before))
    for card in facts.cards(seen):
        if card["uuid"]:
            told = {"vbios": card["vbios"], "power_limit_w": card["limit_w"]}
            cards[card["uuid"]] = {**cards.get(card["uuid"], {}), **_told(told)}
    return {**before, **_told(node), "gpus": cards, "measured": _measured(seen)}


def _measured(seen: Observation) -> dict[str, Facts]:
    return {
        card["uuid"]: _told({name: card.get(name) for name in MEASURED})
        for card in facts.cards(seen)
        if card["uuid"]
    }


def changes(before: Facts, after: Facts) -> list[FactChange]:
    """What differs; a fact read for the first time is no change."""
    found = [
        FactChange(kind, before[name], after.get(name))
        for name, kind in NODE_FACTS.items()
        if name in before and before[name] != after.get(name)
    ]
    known = _cards(before)
    for uuid, card in _cards(after).items():
        found += [
            FactChange(kind, known[uuid][name], card.get(name), uuid)
            for name, kind in GPU_FACTS.items()
            if name in known.get(uuid, {}) and known[uuid][name] != card.get(name)
        ]
    return found


def _cards(kept: Facts) -> Mapping[str, Facts]:
    cards = kept.get("gpus")
    return cards if isinstance(cards, dict) else {}


def _told(told: Facts) -> dict[str, object]:
    return {name: value for name, value in told.items() if value not in {None, ""}}
