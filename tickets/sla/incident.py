"""Detection, acknowledgement and restoration of a fault that several tickets may share. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tickets.sla.case import Refusal
from tickets.sla.events import STAFF, Event, Incident
from tickets.sla.policy import DEFAULT, Policy, in_force

FIRED, RECOVERED, ACKNOWLEDGED = "source_fired", "source_recovered", "acknowledged"
ORDER = {RECOVERED: 0, FIRED: 1, ACKNOWLEDGED: 2}


@dataclass(slots=True)
class Course:
    """How a fault went. Instants; `fault_at` is when it began, `received_at` when we heard."""

    fault_at: int | None = None
    received_at: int | None = None
    acknowledged_at: int | None = None
    recovered_at: int | None = None
    open: bool = False
    episodes: int = 0
    repeats: int = 0
    flags: set[str] = field(default_factory=set)
    refused: list[Refusal] = field(default_factory=list)

    def since(self, begin: int | None, end: int | None) -> int | None:
        """A duration; clocks that disagree make it 0, and say so."""
        if begin is None or end is None:
            return None
        if end < begin:
            self.flags.add("negative_duration")
        return max(end - begin, 0)


def course(incident: Incident, policies: Sequence[Policy], now: int) -> Course:
    """Walk through what is known of it at `now`."""
    seen = [event for event in incident.events if event.at <= now and event.kind in ORDER]
    went = Course()
    for event in sorted(seen, key=lambda e: (e.at, ORDER[e.kind], e.id or "", repr(e))):
        if event.kind == FIRED:
            _fire(went, event, policies)
        elif event.kind == RECOVERED and went.open:
            went.open, went.recovered_at = False, event.at
        elif event.kind == ACKNOWLEDGED and went.open and event.author == STAFF:
            first = went.acknowledged_at is None
            went.acknowledged_at = event.at if first else went.acknowledged_at
    return went


def _fire(went: Course, event: Event, policies: Sequence[Policy]) -> None:
    if went.open:
        went.repeats += 1
    elif went.received_at is None:
        went.received_at = event.at
        went.fault_at = event.at if event.starts_at is None else event.starts_at
        went.open, went.episodes = True, 1
    else:
        policy = in_force(policies, went.received_at) or DEFAULT
        if event.at - (went.recovered_at or 0) > policy.flap:
            went.refused.append(Refusal(event, "flap_window"))
            return
        went.open = True
        went.episodes += 1
        went.flags.add("flap")
