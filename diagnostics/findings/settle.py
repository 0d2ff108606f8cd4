"""Writes what visits saw into findings: one SELECT, and few statements only where it changed.

Runs inside the caller's transaction. Only this module moves a finding's state.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import F

from diagnostics.catalogue import load
from diagnostics.findings import rules
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from diagnostics.probes.judge import layer_of
from diagnostics.probes.reading import Expectation, Reading
from diagnostics.probes.registry import PROBES
from fleet import typed
from fleet.inventory.models import Gpu
from fleet.leases.models import AccessPath, Lease

REPEATS = {probe.name: rules.Repeat(probe.repeat, probe.clear) for probe in PROBES}
LAYERS = {probe.name: probe.layer for probe in PROBES}


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one visit says of a node: the readings, and what the inventory expected there."""

    node_id: int
    at: datetime
    readings: Sequence[Reading]
    streaks: Mapping[str, Sequence[object]]
    expectation: Expectation


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a node's findings. `orders` are the leases (order ids) it touches."""

    node_id: int
    streaks: Mapping[str, Sequence[object]]
    changed: bool = False
    orders: frozenset[str] = frozenset()


def settle(sightings: Iterable[Sighting]) -> list[Settled]:
    """Open, touch and clear findings. Call it inside a transaction that holds the nodes' claims."""
    seen = list(sightings)
    rows = _open_rows([each.node_id for each in seen])
    decisions = {each.node_id: _decide(each, rows[each.node_id]) for each in seen}
    links = _links(
        target
        for each in seen
        for reading in decisions[each.node_id].opened
        for target in _concerned(reading.target, each.expectation)
    )
    return [_write(each, decisions[each.node_id], rows[each.node_id], links) for each in seen]


def _open_rows(nodes: Sequence[int]) -> Mapping[int, dict[int, Finding]]:
    rows: dict[int, dict[int, Finding]] = defaultdict(dict)
    for row in Finding.objects.filter(node__in=nodes, state=FindingState.OPEN).order_by("pk"):
        rows[row.node_id][row.pk] = row
    return rows


def _decide(sighting: Sighting, rows: Mapping[int, Finding]) -> rules.Decision:
    return rules.decide(
        sighting.readings,
        [_as_open(row) for row in rows.values()],
        sighting.streaks,
        repeats=REPEATS,
        targets=rules.targets_of(sighting.expectation),
    )


def _as_open(row: Finding) -> rules.Open:
    return rules.Open(row.pk, row.code, row.target, row.probe, row.opened_at.timestamp())


@dataclass(frozen=True, slots=True)
class _Links:
    """Rows behind targets, for the foreign keys of new findings; what is gone stays None."""

    gpus: Mapping[str, int]
    leases: Mapping[str, int]
    paths: frozenset[str]


def _concerned(target: str, expectation: Expectation) -> list[str]:
    """The target, and the one lease that a card serves."""
    holders = [name for name, members in rules.kin_of(expectation).items() if target in members]
    return [target, *(holders if len(holders) == 1 else [])]


def _links(targets: Iterable[str]) -> _Links:
    """Looked up only when something opens. Locked, so that no row goes before we refer to it."""
    keys: dict[str, set[str]] = defaultdict(set)
    for target in targets:
        kind, _, key = target.partition(":")
        keys[kind].add(key)
    gpus = Gpu.objects.select_for_update(no_key=True).filter(uuid__in=keys["gpu"])
    leases = Lease.objects.select_for_update(no_key=True).filter(order_id__in=keys["lease"])
    paths = AccessPath.objects.select_for_update(no_key=True).filter(
        pk__in=[pk for pk in map(typed.number, keys["path"]) if pk is not None]
    )
    return _Links(
        gpus=dict(gpus.values_list("uuid", "pk")) if keys["gpu"] else {},
        leases=dict(leases.values_list("order_id", "pk")) if keys["lease"] else {},
        paths=frozenset(map(str, paths.values_list("pk", flat=True) if keys["path"] else ())),
    )


def _write(
    sighting: Sighting, decision: rules.Decision, rows: dict[int, Finding], links: _Links
) -> Settled:
    differs = [
        _touch(row, rows[row.id], sighting, reading, decision) for row, reading in decision.seen
    ]
    for finding in decision.cleared:
        _clear(rows.pop(finding.id), sighting.at)
    for reading in decision.opened:
        row = _open(sighting, reading, links)
        rows[row.pk] = row
    relinked = decision.changed and _link_roots(sighting, rows)
    changed = decision.changed or relinked or any(differs)
    targets = {row.target for row in rows.values()} | {row.target for row in decision.cleared}
    return Settled(
        node_id=sighting.node_id,
        streaks=decision.streaks,
        changed=changed,
        orders=_orders(targets, sighting.expectation) if changed else frozenset(),
    )


def _touch(
    known: rules.Open,
    row: Finding,
    sighting: Sighting,
    reading: Reading,
    decision: rules.Decision,
) -> bool:
    """Seen again: keep the newest deciding reading. Returns whether a page would differ."""
    values = dict(reading.values)
    again = known.id in decision.again
    differs = again or (row.reason, row.values) != (reading.reason, values)
    changes: dict[str, object] = {"last_seen_at": sighting.at}
    if differs:
        changes |= {"reason": reading.reason, "values": values}
    if again:
        changes["occurrences"] = F("occurrences") + 1
    Finding.objects.filter(pk=row.pk, state=FindingState.OPEN).update(**changes)
    return differs


def _clear(row: Finding, at: datetime) -> None:
    Finding.objects.filter(pk=row.pk, state=FindingState.OPEN).update(
        state=FindingState.CLEARED, cleared_at=at
    )


def _open(sighting: Sighting, reading: Reading, links: _Links) -> Finding:
    """A new row; where another process was quicker, its row (one open per target)."""
    fault = load.fault(reading.code)
    kind, _, key = reading.target.partition(":")
    path = int(key) if kind == "path" and key in links.paths else None
    concerned = _concerned(reading.target, sighting.expectation)
    orders = [name.partition(":")[2] for name in concerned if name.startswith("lease:")]
    row = Finding(
        node_id=sighting.node_id,
        gpu_id=links.gpus.get(key) if kind == "gpu" else None,
        lease_id=links.leases.get(orders[0]) if orders else None,
        path_id=path,
        code=reading.code,
        target=reading.target,
        layer=layer_of(reading).value,
        severity=fault.severity,
        opens=fault.opens,
        probe=reading.probe,
        reason=reading.reason,
        values=dict(reading.values),
        opened_at=sighting.at,
        last_seen_at=sighting.at,
    )
    try:
        with transaction.atomic():
            row.save(force_insert=True)
    except IntegrityError:
        return Finding.objects.get(
            node=sighting.node_id,
            code=reading.code,
            target=reading.target,
            state=FindingState.OPEN,
        )
    return row


def _link_roots(sighting: Sighting, rows: Mapping[int, Finding]) -> bool:
    """Point consequences at their roots; returns whether any pointer moved."""
    found = rules.roots(map(_as_open, rows.values()), rules.kin_of(sighting.expectation))
    moved = [row for row in rows.values() if row.root_id != found[row.pk]]
    for row in moved:
        Finding.objects.filter(pk=row.pk).update(root=found[row.pk])
    return bool(moved)


def _orders(targets: Iterable[str], expectation: Expectation) -> frozenset[str]:
    """The leases that these targets belong to; a fault of the node is every lease's."""
    concerned = set(targets)
    if rules.NODE in concerned:
        return frozenset(lease.order_id for lease in expectation.leases)
    kin = rules.kin_of(expectation)
    return frozenset(
        lease.partition(":")[2] for lease, members in kin.items() if concerned & {lease, *members}
    )
