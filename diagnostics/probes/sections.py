"""Why a probe cannot say anything: the node was not reached, or a section it needs is not good."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from diagnostics.probes.reading import Observation, Reading, SectionState, Value, Verdict


@dataclass(frozen=True, slots=True)
class Why:
    """A reason for `unknown`."""

    reason: str
    values: Mapping[str, Value]

    def unknown(self, probe: str, targets: Iterable[str]) -> list[Reading]:
        """One unknown reading per target."""
        return [Reading(probe, at, Verdict.UNKNOWN, self.reason, "", self.values) for at in targets]


def unmet(observation: Observation, needs: Iterable[str]) -> Why | None:
    """The first reason why `needs` cannot be read, None when all is there."""
    if observation.reached != "ok":
        return Why("not_reached", {"reached": observation.reached})
    for name in needs:
        section = observation.sections.get(name)
        if section is None:
            return Why("section_absent", {"section": name})
        if section.state is not SectionState.OK or name not in observation.facts:
            state = section.state if section.state is not SectionState.OK else SectionState.GARBAGE
            return Why(f"section_{state}", {"section": name, "text": section.text[:120].strip()})
    return None
