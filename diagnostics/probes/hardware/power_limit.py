"""The power limit against the agreed one. A limit that nobody agreed on is shown, never blamed."""

from diagnostics.probes.facts import Card
from diagnostics.probes.per_card import each_card, unread
from diagnostics.probes.reading import Layer, Probe, Reading, Value, Verdict
from diagnostics.probes.subjects import Subject

NAME = "power_limit"
TOLERANCE_W = 1.5


def judge_card(subject: Subject, card: Card) -> Reading:
    limit = card["limit_w"] if card["limit_w"] is not None else card["limit_enforced_w"]
    if limit is None:
        return unread(NAME, subject, "limit_w")
    agreed = subject.expected.power_limit_w if subject.expected else None
    values: dict[str, Value] = {"limit_w": limit, "agreed_w": agreed,
                                "default_w": card["limit_default_w"]}  # fmt: skip
    if agreed is None:
        return Reading(NAME, subject.target, Verdict.OK, "power_limit_not_agreed", "", values)
    if abs(limit - agreed) > TOLERANCE_W:
        code = "power_limit_changed"
        return Reading(NAME, subject.target, Verdict.WARN, "power_limit_differs", code, values)
    return Reading(NAME, subject.target, Verdict.OK, "power_limit_as_agreed", "", values)


PROBE = Probe(NAME, "Power limit", Layer.HARDWARE, ("gpus",), each_card(NAME, judge_card))
