"""Cards that are lost, answer with errors, or wait for a reset."""

from diagnostics.probes.facts import Card, pci_functions
from diagnostics.probes.reading import Expectation, Layer, Observation, Probe, Reading, Verdict
from diagnostics.probes.sections import unmet
from diagnostics.probes.subjects import NODE, Subject, nameless, subjects

NAME = "gpu_state"
NEEDS = ("gpus",)

# A card's state, or the driver's own recovery advice (field 230) → (reason, code).
STATES = {
    "lost": ("gpu_lost", "gpu_fallen_off_bus"),
    "error": ("gpu_errors", "gpu_err_state"),
    "reset_required": ("gpu_reset_required", "gpu_reset_required"),
}
ADVICE = {
    "reset": ("gpu_reset_required", "gpu_reset_required"),
    "bus_reset": ("gpu_reset_required", "gpu_reset_required"),
    "drain_and_reset": ("gpu_reset_required", "gpu_reset_required"),
    "reboot": ("gpu_reboot_required", "gpu_needs_node_reboot"),
}


def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
    found = subjects(observation, expectation)
    dead = {f["pci"] for f in pci_functions(observation) if f["dead"]}
    gone = [s for s in found if s.address in dead and (s.card is None or s.card["state"] != "ok")]
    why = unmet(observation, NEEDS)
    if why:
        # The bus says so even when the driver says nothing.
        readings = why.unknown(NAME, [s.target for s in found if s not in gone])
        return readings + [_bad(s.target, *STATES["lost"], s.address) for s in gone]
    readings = [_bad(s.target, *STATES["lost"], s.address) for s in gone]
    readings += [_card(s) for s in found if s not in gone]
    # A broken card without a name is the node's; without any, the node is clear of them.
    lost = [card for card in nameless(observation, expectation) if card["state"] in STATES]
    if lost:
        readings.append(_bad(NODE, *STATES[lost[0]["state"]], lost[0]["pci"] or ""))
    return readings


def _card(subject: Subject) -> Reading:
    card = subject.card
    if card is None:
        return Reading(NAME, subject.target, Verdict.UNKNOWN, "card_not_answering")
    found = _complaint(card)
    if found:
        return _bad(subject.target, *found, subject.address)
    return Reading(NAME, subject.target, Verdict.OK, "gpu_answers", "", {"slot": subject.address})


def _complaint(card: Card) -> tuple[str, str] | None:
    return STATES.get(card["state"]) or ADVICE.get(card["action"] or "")


def _bad(target: str, reason: str, code: str, address: str) -> Reading:
    return Reading(NAME, target, Verdict.FAIL, reason, code, {"slot": address})


PROBE = Probe(NAME, "Card answers", Layer.HARDWARE, NEEDS, judge)
