"""PCIe lanes of each card; the generation only under load, for it drops to 1 at idle by design."""

from diagnostics.probes.facts import Card
from diagnostics.probes.per_card import each_card, unread
from diagnostics.probes.reading import Layer, Probe, Reading, Value, Verdict
from diagnostics.probes.subjects import Subject

NAME = "pcie_width"
BUSY_PCT = 90


def judge_card(subject: Subject, card: Card) -> Reading:
    width = card["width_x"]
    agreed = subject.expected.pcie_width_x if subject.expected else None
    # The driver's own maximum counts a narrow slot as normal: the inventory knows better.
    most = agreed or card["width_max_x"]
    if width is None or most is None:
        return unread(NAME, subject, "width_x")
    values: dict[str, Value] = {"width_x": width, "most_x": most}
    if width < most:
        code = "pcie_width_degraded"
        return Reading(NAME, subject.target, Verdict.WARN, "pcie_narrow", code, values)
    gen, gen_max, busy = card["gen"], card["gen_max"], (card["util_pct"] or 0) >= BUSY_PCT
    if busy and gen is not None and gen_max is not None and gen < gen_max:
        values |= {"gen": gen, "gen_max": gen_max}
        code = "pcie_gen_degraded"
        return Reading(NAME, subject.target, Verdict.WARN, "pcie_slow", code, values)
    return Reading(NAME, subject.target, Verdict.OK, "pcie_full", "", values)


PROBE = Probe(NAME, "PCIe link", Layer.HARDWARE, ("gpus",), each_card(NAME, judge_card), repeat=2)
