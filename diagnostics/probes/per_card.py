"""The shape of a probe that judges one value of each card. Pure."""

from collections.abc import Callable

from diagnostics.probes.facts import Card
from diagnostics.probes.reading import Expectation, Judge, Observation, Reading, Verdict
from diagnostics.probes.sections import unmet
from diagnostics.probes.subjects import Subject, subjects

JudgeCard = Callable[[Subject, Card], Reading]


def each_card(probe: str, judge_card: JudgeCard) -> Judge:
    """A judge that asks `judge_card` about every card that answers; the others are unknown."""

    def judge(observation: Observation, expectation: Expectation) -> list[Reading]:
        found = subjects(observation, expectation)
        why = unmet(observation, ("gpus",))
        if why:
            return why.unknown(probe, [subject.target for subject in found])
        return [_one(probe, subject, judge_card) for subject in found]

    return judge


def unread(probe: str, subject: Subject, name: str) -> Reading:
    """The card would not tell this value."""
    said = subject.card["errors"].get(name, "") if subject.card else ""
    return Reading(
        probe, subject.target, Verdict.UNKNOWN, "value_unread", "", {"value": name, "said": said}
    )


def _one(probe: str, subject: Subject, judge_card: JudgeCard) -> Reading:
    card = subject.card
    if card is None or card["state"] != "ok":
        return Reading(probe, subject.target, Verdict.UNKNOWN, "card_not_answering")
    return judge_card(subject, card)
