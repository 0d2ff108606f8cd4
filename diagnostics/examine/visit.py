"""One visit to a node: SSH, outside checks, confirmation, judgement. Runs in examiner threads.

Knows no database. A fault of reachability or of a port that the last visit did not see is looked
at again after 5 and 15 s, and counts only if it was there each time and our own network is good.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol, TypedDict

from diagnostics.examine import outside
from diagnostics.examine.facts import keep
from diagnostics.examine.record import Outcome, VisitPlan
from diagnostics.nodekit import kit, parse
from diagnostics.probes import judge
from diagnostics.probes.reading import (
    ExpectedPath,
    Observation,
    OutsideCheck,
    Reading,
    Verdict,
)
from fleet.transport.result import (
    Address,
    AuthRefused,
    HostKeyChanged,
    OutputTooLarge,
    Result,
    TimedOut,
    TransportError,
)

AGAIN_S = (5.0, 15.0)
UNREACHABLE = "unreachable"
RUN_S = 30.0  # hostprobe ends itself after 25 s
INSTALL_S = 20.0
MEMORY = "visit"  # our part of Watch.memory

Pause = Callable[[float], bool]


class _Last(TypedDict):
    reached: str
    paths: dict[str, str]


class Runner(Protocol):
    """What a visit needs of `fleet.transport.connections.Connections`."""

    def run(
        self,
        address: Address,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result: ...


@dataclass(slots=True)
class _Sight:
    """What the visit has seen so far."""

    host: Observation
    offered_key: str = ""
    host_ms: int = 0
    checks: dict[int, OutsideCheck] = field(default_factory=dict)
    ours: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A Transport on a kept connection, for the kit's installer."""

    runner: Runner
    address: Address

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result:
        return self.runner.run(self.address, argv, timeout=timeout, stdin=stdin, cap=cap)

    def close(self) -> None:
        """The connection stays kept."""


def sleep(seconds: float) -> bool:
    """Wait; False, because nobody can call this wait off."""
    time.sleep(max(seconds, 0.0))
    return False


def visit(plan: VisitPlan, runner: Runner, *, pause: Pause = sleep) -> Outcome | None:
    """Examine the node; None when the deadline passed before there was anything to say.

    `pause(seconds)` waits and says whether the process wants to stop.
    """
    started = time.time()
    if time.monotonic() >= plan.deadline:
        return None
    sight = _see(plan, runner, pause)
    if sight is None or time.monotonic() >= plan.deadline:
        return None
    return _conclude(plan, sight, started)


def _see(plan: VisitPlan, runner: Runner, pause: Pause) -> _Sight | None:
    """Look once, and again at what is newly wrong. None when called off."""
    sight = _Sight(host=parse.failed(UNREACHABLE, time.time()))
    _look_at_host(plan, runner, sight)
    _look_at_paths(plan, sight, plan.expectation.paths)
    first = time.monotonic()
    for again in AGAIN_S:
        doubtful_host, doubtful_paths = _doubts(plan, sight)
        wait = first + again - time.monotonic()
        if not (doubtful_host or doubtful_paths) or first + again >= plan.deadline:
            break
        if pause(wait):
            return None
        if doubtful_host:
            _look_at_host(plan, runner, sight)
        _look_at_paths(plan, sight, doubtful_paths)
    if sight.host.reached == UNREACHABLE and plan.controls:
        sight.ours = not outside.any_answers(plan.controls, deadline=plan.deadline)
    return sight


def _doubts(plan: VisitPlan, sight: _Sight) -> tuple[bool, list[ExpectedPath]]:
    """Faults that the last visit did not see: is it the host, and which paths."""
    last = _last(plan.expectation.memory)
    paths = [
        path
        for path in plan.expectation.paths
        if sight.checks[path.id].outcome not in {"ok", last["paths"].get(str(path.id))}
    ]
    return sight.host.reached == UNREACHABLE != last["reached"], paths


def _last(memory: Mapping[str, object]) -> _Last:
    """What `_remember` wrote at the last visit; empty if this is the first."""
    kept = memory.get(MEMORY)
    return (
        {"reached": "", "paths": {}}
        if not isinstance(kept, dict)
        else {
            "reached": str(kept.get("reached", "")),
            "paths": dict(kept.get("paths", {})),
        }
    )


def _look_at_paths(plan: VisitPlan, sight: _Sight, paths: Sequence[ExpectedPath]) -> None:
    for check in outside.look(paths, deadline=plan.deadline):
        sight.checks[check.path_id] = check


def _look_at_host(plan: VisitPlan, runner: Runner, sight: _Sight) -> None:
    begun = time.monotonic()
    try:
        sight.host = _ask(plan, runner)
    except TransportError as error:
        sight.host = parse.failed(_reached(error), time.time())
        if isinstance(error, HostKeyChanged):
            sight.offered_key = error.offered
        elif isinstance(error, OutputTooLarge):
            sight.host = parse.observe(error.partial, status=None, taken_at=time.time())
    sight.host_ms = round((time.monotonic() - begun) * 1000)


def _reached(error: TransportError) -> str:
    """The word of `Observation.reached` for a node that could not be asked."""
    if isinstance(error, HostKeyChanged):
        return "host_key_changed"
    if isinstance(error, AuthRefused):
        return "auth_refused"
    return "timeout" if isinstance(error, TimedOut) else UNREACHABLE


def _ask(plan: VisitPlan, runner: Runner) -> Observation:
    """Run the kit's probe; send the kit first where it is missing or altered."""
    address = plan.address
    if address is None:
        return parse.failed("auth_refused", time.time())
    argv = kit.argv(plan.expectation.memory)
    result = runner.run(address, argv, timeout=_left(plan, RUN_S))
    if result.status == kit.KIT_MISSING:
        kit.install(_Line(runner, address), timeout=_left(plan, INSTALL_S))
        result = runner.run(address, argv, timeout=_left(plan, RUN_S))
    return parse.observe(result.output, status=result.status, taken_at=time.time())


def _left(plan: VisitPlan, at_most: float) -> float:
    """Seconds for the next step. Raises TimedOut when the visit is over."""
    left = min(plan.deadline - time.monotonic(), at_most)
    if left <= 0:
        raise TimedOut("the visit is over")
    return left


def _conclude(plan: VisitPlan, sight: _Sight, started: float) -> Outcome:
    checks = tuple(sight.checks[path.id] for path in plan.expectation.paths)
    seen = replace(sight.host, outside=checks)
    judged = judge.judge(seen, plan.expectation)
    outcome = Outcome(
        plan=plan,
        started_at=started,
        ended_at=time.time(),
        reached=seen.reached,
        readings=judged.readings,
        verdict=judged.verdict,
        failing_layer=judged.failing_layer,
        memory={**judge.remember(seen, plan.expectation), MEMORY: _remember(seen)},
        facts=keep(seen, plan.before.facts),
        host_ms=sight.host_ms,
        offered_key=sight.offered_key,
    )
    return is_it_us(outcome) if sight.ours else outcome


def _remember(seen: Observation) -> dict[str, object]:
    """What the next visit need not confirm again."""
    return {
        "reached": seen.reached,
        "paths": {str(check.path_id): check.outcome for check in seen.outside},
    }


def is_it_us(outcome: Outcome) -> Outcome:
    """Take every complaint back: our own network failed, so nothing was measured."""
    readings = tuple(
        Reading(reading.probe, reading.target, Verdict.UNKNOWN, "is_it_us")
        if reading.verdict in {Verdict.WARN, Verdict.FAIL}
        else reading
        for reading in outcome.readings
    )
    # Forgotten, so that the next visit confirms afresh.
    memory = {**outcome.memory, MEMORY: {"reached": "", "paths": {}}}
    return replace(
        outcome, readings=readings, verdict=Verdict.UNKNOWN, failing_layer="", memory=memory
    )
