"""Persistence mode: for the record. Off is the default of a 4090 and no fault."""

from diagnostics.probes.facts import Card
from diagnostics.probes.per_card import each_card, unread
from diagnostics.probes.reading import Layer, Probe, Reading, Verdict
from diagnostics.probes.subjects import Subject

NAME = "persistence"


def judge_card(subject: Subject, card: Card) -> Reading:
    mode = card["persistence"]
    if mode is None:
        return unread(NAME, subject, "persistence")
    reason = "persistence_on" if mode else "persistence_off"
    return Reading(NAME, subject.target, Verdict.OK, reason)


PROBE = Probe(NAME, "Persistence mode", Layer.DRIVER, ("gpus",), each_card(NAME, judge_card))
