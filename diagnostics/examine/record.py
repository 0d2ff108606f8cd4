"""What goes into a visit and what comes out of it. Plain data: no ORM, no I/O."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from diagnostics.probes.reading import Expectation, Reading, Verdict
from fleet.transport.result import Address

VISIT_S = 45.0  # one absolute deadline per visit, from the claim (reference: SSH design, 6)
CLAIM_S = 60.0  # longer than a visit, so that a claim outlives what it protects
PERIOD_S = 60.0  # how often a node is examined


@dataclass(frozen=True, slots=True)
class LeaseRef:
    """The rows behind `lease:ORDER_ID`: primary keys of the lease and of its customer."""

    pk: int
    customer: int


@dataclass(frozen=True, slots=True)
class Before:
    """What the last visit left in the Watch row; the claim keeps it unchanged until we settle."""

    examined: bool = False
    verdict: str = "unknown"
    # (probe, target) → (verdict, code)
    verdicts: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    streaks: Mapping[str, list[object]] = field(default_factory=dict)
    facts: Mapping[str, object] = field(default_factory=dict)


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
