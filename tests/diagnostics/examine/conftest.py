"""A runner that plays whole fleets, and plans and outcomes made by hand."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from django.utils import timezone

from diagnostics.examine import claim
from diagnostics.examine.models import Watch
from diagnostics.examine.plan import plans
from diagnostics.examine.record import Outcome, VisitPlan
from diagnostics.probes.reading import Reading, Verdict
from fleet.transport import keys
from fleet.transport.result import Address, Result

GREEN = Reading("node_reachable", "node", Verdict.OK, "node_reached")


def probe_output(**sections: object) -> bytes:
    """What hostprobe prints; sections not named are missing on the host."""
    parts = [b"=== halfhour-probe 1 boot=0f6e time=1796000000.5 uptime=86400.00\n"]
    for name, value in sections.items():
        payload = json.dumps(value).encode()
        parts.append(b"--- %s state=ok rc=- ms=1 len=%d\n" % (name.encode(), len(payload)))
        parts.append(payload + b"\n")
    return b"".join([*parts, b"=== end\n"])


class Hosts:
    """Answers like `Connections`: per host an error to raise or bytes to give, asked in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, float]] = []
        self.answers: dict[str, Callable[[], bytes]] = {}
        self.closed = False

    def run(
        self,
        address: Address,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result:
        self.calls.append((address.host, time.monotonic()))
        answer = self.answers.get(address.host, probe_output)
        return Result(tuple(argv), 0, answer(), 0.0)

    def close_all(self) -> None:
        self.closed = True


@pytest.fixture
def hosts() -> Hosts:
    return Hosts()


@pytest.fixture
def watched(make_node, make_host_key, make_credential, db):
    """Makes nodes that can be visited, each with its Watch row."""
    private, public = keys.generate()
    credential = make_credential(secret=keys.encrypt(private), public_key=public)

    def make(count: int = 1, **fields):
        made = [make_node(credential=credential, **fields) for _ in range(count)]
        for node in made:
            make_host_key(node=node)
        claim.watch_new_nodes(timezone.now() - timedelta(minutes=5))
        return made

    return make


@pytest.fixture
def take():
    """Claims these nodes and plans their visits."""

    def taken(*nodes) -> list[VisitPlan]:
        token = claim.claim_nodes([node.pk for node in nodes], now=timezone.now())
        return plans(claim.claimed(token), deadline=time.monotonic() + 45)

    return taken


def outcome(plan: VisitPlan, *readings: Reading, **fields) -> Outcome:
    """A visit that found these readings (all well if none is given)."""
    readings = readings or (GREEN,)
    verdict = Verdict.FAIL if any(r.verdict == "fail" for r in readings) else Verdict.OK
    now = time.time()
    made = Outcome(plan, now, now, "ok", readings, verdict, "")
    return replace(made, **fields)


def free(node) -> bool:
    """Whether nobody holds the node."""
    return not Watch.objects.get(node=node).token
