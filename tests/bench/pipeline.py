"""From the wire to the stored row. Import it only once `database.opened` has set Django up."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from django.utils import timezone

from diagnostics.examine import claim, services
from diagnostics.examine.models import Examination, Watch
from diagnostics.examine.plan import plans
from diagnostics.examine.record import VISIT_S, Outcome, VisitPlan
from diagnostics.examine.settle import settle
from diagnostics.examine.visit import visit
from diagnostics.nodekit import kit, parse
from fleet.inventory.models import Node
from fleet.transport import keys
from fleet.transport.connections import Connections
from tests import factories
from tests.bench.farm import Farm
from tests.bench.modes import THREADS, Mode
from tests.bench.recording import CARDS, CONTAINER, uuid

ALL = claim.Shards(index=0, count=1)


def fill(farm: Farm) -> None:
    """A node in service per address: eight cards, a lease on all of them, a pinned key."""
    private = (farm.folder / "keys" / "client").read_text(encoding="utf-8")
    credential = factories.make_credential(secret=keys.encrypt(private), username=farm.user)
    provider, region = factories.make_provider(), factories.make_region()
    customer = factories.make_customer()
    algorithm, public = farm.host_key.split()
    for number, host in enumerate(farm.hosts):
        node = factories.make_node(
            name=f"bench-{number:04d}", address=host, port=farm.port,
            credential=credential, provider=provider, region=region,
        )  # fmt: skip
        factories.make_host_key(node=node, algorithm=algorithm, public_key=public)
        cards = [
            factories.make_gpu(
                node=node, uuid=uuid(number, card), pci_bus_id=f"0000:{0x41 + card:02x}:00.0"
            )
            for card in range(CARDS)
        ]
        lease = factories.make_lease(
            node=node, customer=customer, order_id=f"bench-{number:04d}", container=CONTAINER
        )
        lease.gpus.set(cards)
    claim.watch_new_nodes(timezone.now())


def _all_due() -> None:
    Watch.objects.update(due_at=timezone.now() - timedelta(seconds=1), claimed_until=None, token="")


def _claimed() -> list[VisitPlan]:
    now = timezone.now()
    token = claim.claim_nodes(list(Node.objects.values_list("pk", flat=True)), now=now)
    return plans(claim.claimed(token), deadline=time.monotonic() + VISIT_S)


def stored(farm: Farm) -> Mode:
    """Transport, parse, store: what judging says is worked out once and written every time."""
    connections, pool = Connections(), ThreadPoolExecutor(THREADS)
    first = {plan.node_id: visit(plan, connections) for plan in _claimed()}
    claimed: list[VisitPlan] = []

    def one(plan: VisitPlan) -> Outcome:
        assert plan.address
        begun = time.time()
        told = connections.run(plan.address, kit.argv(plan.expectation.memory), timeout=30)
        seen = parse.observe(told.output, status=told.status, taken_at=time.time())
        judged = first[plan.node_id]
        assert judged
        assert len(seen.facts) >= 8, seen
        return Outcome(
            plan, begun, time.time(), seen.reached, judged.readings, judged.verdict,
            judged.failing_layer, judged.memory, judged.facts,
        )  # fmt: skip

    def before() -> None:
        _all_due()
        claimed[:] = _claimed()

    def run() -> None:
        outcomes = list(pool.map(one, claimed))
        written = sum(settle(outcomes[at : at + 32]) for at in range(0, len(outcomes), 32))
        assert written == farm.count, written

    before()
    run()
    return Mode(
        "transport, parse, store", run, time.process_time, 0.45, connections.close_all, before
    )


def whole(farm: Farm) -> Mode:
    """The examiner's own tick: claim, visit, judge, settle, tell the live pages."""

    def run() -> None:
        begun, before = timezone.now(), Examination.objects.count()
        while Watch.objects.filter(due_at__lte=begun).exists():
            services.tick(0)
        written = Examination.objects.count() - before
        assert written == farm.count, written

    _all_due()
    run()
    bad = Watch.objects.exclude(verdict="ok").first()
    assert bad is None, [each for each in bad.readings if each["verdict"] != "ok"]
    return Mode("examination", run, time.process_time, 0.75, services.stop, _all_due)


MODES = {"stored": stored, "whole": whole}
