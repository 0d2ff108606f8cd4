"""When a finding opens, stays and clears, and which finding explains which. Pure.

Unknown never opens and never clears. A fault opens when it was read `repeat` visits in a row and
clears after `clear` explicit greens of the probe that found it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.catalogue.load import explains
from diagnostics.probes.reading import WORST, Expectation, Reading, Verdict

# Faults that tell of something already over. They explain what was wrong when they were found,
# never what breaks later while they are still on show.
PASSED = frozenset({"unplanned_reboot"})
BAD = frozenset({Verdict.WARN, Verdict.FAIL})
NODE = "node"

Key = tuple[str, str]  # code, target
Streaks = Mapping[str, Sequence[object]]


@dataclass(frozen=True, slots=True)
class Repeat:
    """How many visits in a row must fail, and how many must be green (see Probe)."""

    fail: int = 1
    clear: int = 1


ONCE = Repeat()


@dataclass(frozen=True, slots=True)
class Open:
    """An open finding as the rules see it; `opened` is epoch seconds."""

    id: int
    code: str
    target: str
    probe: str
    opened: float = 0.0

    @property
    def key(self) -> Key:
        return self.code, self.target


@dataclass(frozen=True, slots=True)
class Decision:
    """What a visit does to the findings of a node. `again` came back after a first green."""

    opened: tuple[Reading, ...] = ()
    seen: tuple[tuple[Open, Reading], ...] = ()
    again: frozenset[int] = frozenset()
    cleared: tuple[Open, ...] = ()
    streaks: dict[str, list[object]] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether a finding opened or cleared."""
        return bool(self.opened or self.cleared)


def decide(
    readings: Iterable[Reading],
    findings: Iterable[Open],
    streaks: Streaks,
    *,
    repeats: Mapping[str, Repeat],
    targets: frozenset[str],
) -> Decision:
    """Apply one visit. `targets` are the things the inventory expects on the node now.

    A streak is kept only while something is pending: failing visits before a finding opens
    (counted up), greens before it clears (counted down from 0). Most nodes have none.
    """
    bad, green = _sort(readings)
    kept: dict[str, list[object]] = {}
    seen, again, cleared = [], set(), []
    for finding in findings:
        greens = -_count(streaks, finding.key)
        reading = bad.pop(finding.key, None)
        if reading is not None:
            seen.append((finding, reading))
            again |= {finding.id} if greens > 0 else set()
            continue
        if (finding.probe, finding.target) in green:
            greens += 1
        if greens >= _repeat(repeats, finding.probe).clear or finding.target not in targets:
            cleared.append(finding)
        elif greens > 0:
            kept[_name(finding.key)] = [-greens, finding.probe]
    opened = _pending(bad, green, streaks, kept, repeats=repeats, targets=targets)
    return Decision(tuple(opened), tuple(seen), frozenset(again), tuple(cleared), kept)


def _sort(readings: Iterable[Reading]) -> tuple[dict[Key, Reading], set[Key]]:
    """The worst complaint per (code, target), and the (probe, target) that are wholly green."""
    bad: dict[Key, Reading] = {}
    green: set[Key] = set()
    not_green: set[Key] = set()
    for reading in readings:
        where = reading.probe, reading.target
        if reading.verdict == Verdict.OK:
            green.add(where)
            continue
        not_green.add(where)
        if reading.verdict not in BAD or not reading.code:
            continue
        key = reading.code, reading.target
        if key not in bad or WORST[reading.verdict] > WORST[bad[key].verdict]:
            bad[key] = reading
    return bad, green - not_green


def _pending(
    bad: Mapping[Key, Reading],
    green: set[Key],
    streaks: Streaks,
    kept: dict[str, list[object]],
    *,
    repeats: Mapping[str, Repeat],
    targets: frozenset[str],
) -> list[Reading]:
    """Count complaints that are not findings yet; returns those that become one."""
    opened = []
    for key, reading in bad.items():
        times = max(_count(streaks, key), 0) + 1
        if times >= _repeat(repeats, reading.probe).fail:
            opened.append(reading)
        else:
            kept[_name(key)] = [times, reading.probe]
    for name, (count, probe) in ((n, s) for n, s in streaks.items() if n not in kept):
        code, _, target = name.partition(" ")
        unsaid = (code, target) not in bad and (str(probe), target) not in green
        if isinstance(count, int) and count > 0 and unsaid and target in targets:
            kept[name] = [count, probe]  # unknown holds
    return opened


def _name(key: Key) -> str:
    return f"{key[0]} {key[1]}"


def _count(streaks: Streaks, key: Key) -> int:
    count = streaks.get(_name(key), (0,))[0]
    return count if isinstance(count, int) else 0


def _repeat(repeats: Mapping[str, Repeat], probe: str) -> Repeat:
    return repeats.get(probe, ONCE)


def targets_of(expectation: Expectation) -> frozenset[str]:
    """Every target the inventory knows on the node."""
    return frozenset(
        [
            NODE,
            *(f"gpu:{gpu.uuid}" for gpu in expectation.gpus),
            *(f"lease:{lease.order_id}" for lease in expectation.leases),
            *(f"path:{path.id}" for path in expectation.paths),
        ]
    )


def kin_of(expectation: Expectation) -> dict[str, frozenset[str]]:
    """Which targets a lease joins: its cards and its ports."""
    return {
        f"lease:{lease.order_id}": frozenset(
            [
                *(f"gpu:{uuid}" for uuid in lease.gpu_uuids),
                *(f"path:{path.id}" for path in expectation.paths if path.lease == lease.order_id),
            ]
        )
        for lease in expectation.leases
    }


def roots(findings: Iterable[Open], kin: Mapping[str, frozenset[str]]) -> dict[int, int | None]:
    """Finding → the finding that explains it in the end, None for a root.

    A finding is a consequence when the catalogue explains its code by another that is open on a
    target that concerns it. Of several explanations the nearest target counts, then the oldest.
    """
    rows = list(findings)
    parents = {row.id: _parent(row, rows, kin) for row in rows}
    return {row.id: _top(row.id, parents) for row in rows}


def _parent(row: Open, rows: Sequence[Open], kin: Mapping[str, frozenset[str]]) -> int | None:
    near = [
        (distance, other.id)
        for other in rows
        if other.id != row.id
        and explains(other.code, row.code)
        and not (other.code in PASSED and row.opened > other.opened)
        and (distance := _distance(row.target, other.target, kin)) is not None
    ]
    return min(near)[1] if near else None


def _distance(one: str, other: str, kin: Mapping[str, frozenset[str]]) -> int | None:
    """0 the same thing, 1 joined by a lease, 2 through the node; None: they do not concern."""
    if one == other:
        return 0
    joined = any({one, other} <= {lease, *members} for lease, members in kin.items())
    if joined and one.partition(":")[0] != other.partition(":")[0]:
        return 1
    return 2 if NODE in {one, other} else None


def _top(start: int, parents: Mapping[int, int | None]) -> int | None:
    """Follow explanations to their end; a ring (the catalogue has none) explains nothing."""
    at, walked = parents[start], [start]
    while at is not None:
        if at in walked:
            return None
        walked.append(at)
        at = parents[at]
    return walked[-1] if len(walked) > 1 else None
