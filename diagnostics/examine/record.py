"""What goes into a visit and what comes out of it. Plain data: no ORM, no I/O."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.probes.reading import Expectation, Reading, Verdict
from fleet.transport.result import Address

VISIT_S = 45.0  # one absolute deadline per visit, from the claim (reference: SSH design, 6)
CLAIM_S = 60.0  # longer than a visit, so that a claim outlives what it protects
PERIOD_S = 60.0  # how often a node is examined
OK = Verdict.OK
READ = "read"  # where Watch.memory keeps Before.after


@dataclass(frozen=True, slots=True)
class LeaseRef:
    """The rows behind `lease:ORDER_ID`: primary keys of the lease and of its customer."""

    pk: int
    customer: int


@dataclass(frozen=True, slots=True)
class Before:
    """What the last visit left in the Watch row; the claim keeps it unchanged until we settle.

    `not_ok` maps `probe target` to (verdict, code); everything else on `targets` was ok. That is
    little to load: the readings themselves, 15 kB for eight cards, stay in the database.
    """

    examined: bool = False
    verdict: str = "unknown"
    not_ok: Mapping[str, Sequence[str]] = field(default_factory=dict)
    targets: frozenset[str] = frozenset()
    streaks: Mapping[str, Sequence[object]] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)

    def of(self, reading: Reading) -> tuple[str, str]:
        """Verdict and code that this probe had for this target; unknown if it is new."""
        seen = self.not_ok.get(f"{reading.probe} {reading.target}")
        if seen is not None:
            return seen[0], seen[1]
        return (OK, "") if reading.target in self.targets else (Verdict.UNKNOWN, "")

    @classmethod
    def after(cls, readings: Iterable[Reading]) -> dict[str, object]:
        """What `Watch.memory` keeps for the next visit; `Before.not_ok` and `.targets` again."""
        return {
            "not_ok": {
                f"{reading.probe} {reading.target}": (reading.verdict, reading.code)
                for reading in readings
                if reading.verdict is not OK
            },
            "targets": list({reading.target: None for reading in readings}),
        }


@dataclass(frozen=True, slots=True)
class VisitPlan:
    """One claimed node, ready to be visited by a thread that knows no database.

    `deadline` is monotonic seconds: a process that was stopped finds it passed when it goes on.
    `address` is None for a node without a login or without a pinned host key. `controls` are
    (host, port) pairs that answered lately: when none of them does either, the fault is ours.
    """

    node_id: int
    name: str
    token: str
    deadline: float
    address: Address | None
    expectation: Expectation
    asked: bool = False
    simulated: bool = False
    controls: tuple[tuple[str, int], ...] = ()
    leases: Mapping[str, LeaseRef] = field(default_factory=dict)
    before: Before = field(default_factory=Before)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished visit. Times are our clock, epoch seconds; `host_ms` is the wait for the host."""

    plan: VisitPlan
    started_at: float
    ended_at: float
    reached: str
    readings: tuple[Reading, ...]
    verdict: Verdict
    failing_layer: str
    memory: Mapping[str, object] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)
    host_ms: int = 0
    # The key a node showed instead of the pinned one, `algorithm base64`.
    offered_key: str = ""
    examiner: str = ""
