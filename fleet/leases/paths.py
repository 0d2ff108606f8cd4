"""Writes the published ports of a lease as a set, in place: what stays the same keeps its row."""

from collections.abc import Sequence
from typing import Any

from fleet.leases.facts import PathFacts
from fleet.leases.models import AccessPath, Lease
from fleet.leases.states import LeaseState

INNER = ("kind", "gateway", "node_port", "container_port")


def replace_paths(lease: Lease, wanted: Sequence[PathFacts]) -> dict[str, list[Any]]:
    """Make the lease publish exactly these ports; returns {"paths": [before, after]} if it moved.

    A port that an ended lease still names passes to this one.
    """
    have = {(path.public_host, path.public_port): path for path in lease.paths.all()}
    before = sorted(map(_words, have.values()))
    want = {(path.public_host, path.public_port): path for path in wanted}
    gone = [path.pk for address, path in have.items() if address not in want]
    if gone:
        AccessPath.objects.filter(pk__in=gone).delete()
    for address, facts in want.items():
        if address not in have:
            _free(facts)
            AccessPath.objects.create(
                lease=lease,
                public_host=facts.public_host,
                public_port=facts.public_port,
                **{name: getattr(facts, name) for name in INNER},
            )
        elif any(getattr(have[address], name) != getattr(facts, name) for name in INNER):
            inner = {name: getattr(facts, name) for name in INNER}
            AccessPath.objects.filter(pk=have[address].pk).update(**inner)
    after = sorted(map(_words, want.values()))
    return {"paths": [before, after]} if before != after else {}


def _free(facts: PathFacts) -> None:
    AccessPath.objects.filter(
        public_host=facts.public_host,
        public_port=facts.public_port,
        lease__state=LeaseState.ENDED,
    ).delete()


def _words(path: AccessPath | PathFacts) -> str:
    gateway = f" via {path.gateway}" if path.gateway else ""
    inside = "" if path.container_port is None else f":{path.container_port}"
    public = f"{path.public_host}:{path.public_port}"
    return f"{path.kind} {public}{gateway} -> {path.node_port}{inside}"
