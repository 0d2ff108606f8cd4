"""What the desk reads. Lists are bounded and cost the same queries at any length."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.core.paginator import Page, Paginator
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Coalesce, Least
from django.http import QueryDict
from django.utils import timezone

from diagnostics.findings.models import Finding
from diagnostics.findings.queries import findings_of_lease, findings_of_node, open_findings
from diagnostics.findings.states import FindingState
from fleet import access, typed
from fleet.inventory.models import Gpu, Node, Region
from fleet.inventory.states import GpuState, NodeState
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.people.models import User
from tickets.incidents.queries import clocks_of_findings, spoken_for
from tickets.ordering import rank

PAGE = 50
# Readings older than this say nothing about now: five sweeps were missed.
STALE = timedelta(minutes=5)
# Faults of a node that take all its cards out of use.
NODE_OUT = (
    "node_unreachable",
    "driver_hung",
    "driver_not_loaded",
    "driver_library_mismatch",
    "nouveau_conflict",
    "kernel_module_missing",
    "docker_daemon_down",
)
WATCHED = (NodeState.ACTIVE, NodeState.QUARANTINED)


def running_leases() -> QuerySet[Lease]:
    """Leases of now, with whom they serve and their cards."""
    return (
        Lease.objects.filter(state=LeaseState.ACTIVE)
        .select_related("customer")
        .prefetch_related(Prefetch("gpus", Gpu.objects.only("pk")))
        .order_by("order_id")
    )


def board(user: User) -> QuerySet[Finding]:
    """Open findings that nothing else explains, the soonest clock of a customer first; without
    one the worst of a family counts, then age."""
    mine = open_findings(user)
    family = Finding.objects.filter(root=OuterRef("pk"), state=FindingState.OPEN)

    def worst(kind: str) -> Least:
        ranked = family.annotate(place=rank(kind)).order_by("place").values("place")[:1]
        return Least(rank(kind), Coalesce(Subquery(ranked), Value(99)))

    consequences = Finding.objects.filter(state=FindingState.OPEN).order_by("opened_at", "pk")
    return (
        mine.filter(~Q(root__state=FindingState.OPEN) | Q(root=None))
        .exclude(pk__in=spoken_for().values("finding"))
        .annotate(
            calls=worst("opens"),
            weight=worst("severity"),
            spared=_spared(),
            **clocks_of_findings(),
        )
        .select_related("node__region", "node__provider", "gpu", "path", "lease__customer")
        .prefetch_related(
            Prefetch("consequences", consequences.select_related("gpu", "path")),
            Prefetch("node__leases", running_leases(), to_attr="running"),
        )
        .order_by("calls", F("due").asc(nulls_last=True), "weight", "spared", "opened_at", "pk")
    )


def _spared() -> Case:
    """0 when a customer is hit: by a lease of the finding, of its card, or any of its node."""
    running = Lease.objects.filter(state=LeaseState.ACTIVE)
    on_node = Exists(running.filter(node=OuterRef("node")))
    on_card = Exists(running.filter(gpus=OuterRef("gpu")))
    hit = Q(lease__state=LeaseState.ACTIVE) | Q(on_card) | (Q(target="node") & Q(on_node))
    return Case(When(hit, then=Value(0)), default=Value(1))


def board_page(user: User, number: str) -> Page[Finding]:
    """One page of the board; a number out of range gives the nearest page."""
    return Paginator(board(user), PAGE).get_page(number)


@dataclass(frozen=True, slots=True)
class Strip:
    """The fleet in a line. Nodes never examined, or not lately, count as unknown; those that wait
    to be enrolled are counted apart."""

    nodes: int
    waiting: int
    ok: int
    warn: int
    fail: int
    unknown: int
    cards: int
    cards_out: int
    findings: int
    examined_at: datetime | None


def strip(user: User | AnonymousUser) -> Strip:
    """Three queries, however large the fleet is."""
    watched = Q(state__in=WATCHED)
    fresh = watched & Q(watch__examined_at__gte=timezone.now() - STALE)
    nodes = access.nodes(user).aggregate(
        nodes=Count("pk", filter=watched),
        waiting=Count("pk", filter=Q(state=NodeState.ENROLLING)),
        ok=Count("pk", filter=fresh & Q(watch__verdict="ok")),
        warn=Count("pk", filter=fresh & Q(watch__verdict="warn")),
        fail=Count("pk", filter=fresh & Q(watch__verdict="fail")),
        examined_at=Max("watch__examined_at", filter=watched),
    )
    known = nodes["ok"] + nodes["warn"] + nodes["fail"]
    cards = access.gpus(user).filter(node__state__in=WATCHED).exclude(state=GpuState.RETIRED)
    counts = cards.aggregate(cards=Count("pk"), cards_out=Count("pk", filter=out_of_use()))
    return Strip(
        **nodes, **counts, unknown=nodes["nodes"] - known, findings=open_findings(user).count()
    )


def out_of_use() -> Q:
    """A card nobody can use: set aside, critically ill itself, or on a node that is out.

    Most faults of a node leave its cards in use: one that is short of a card, or has restarted.
    """
    ill = Finding.objects.filter(state=FindingState.OPEN)
    return (
        Q(state=GpuState.QUARANTINED)
        | Q(pk__in=ill.exclude(gpu=None).filter(severity="critical").values("gpu"))
        | Q(node__in=ill.filter(target="node", code__in=NODE_OUT).values("node"))
    )


@dataclass(frozen=True, slots=True)
class Filters:
    """What a reader of the fleet list asked for, as typed; an unknown value matches nothing."""

    provider: str = ""
    region: str = ""
    verdict: str = ""
    text: str = ""
    page: str = "1"

    @property
    def query(self) -> str:
        """The filters without the page, for links: `provider=3&text=a`, or empty."""
        asked = {"provider": self.provider, "region": self.region}
        asked |= {"verdict": self.verdict, "text": self.text}
        return urlencode({name: value for name, value in asked.items() if value})

    @property
    def spec(self) -> str:
        """Filters and page in one line: the key of the live region."""
        return "&".join(part for part in (f"page={self.page}", self.query) if part)


def filters(query: QueryDict) -> Filters:
    """Read the filters from an address or from a live region's key."""
    return Filters(
        provider=query.get("provider", "")[:20],
        region=query.get("region", "")[:40],
        verdict=query.get("verdict", "")[:10],
        text=query.get("text", "").strip()[:80],
        page=query.get("page", "1")[:6],
    )


def fleet(user: User, asked: Filters) -> QuerySet[Node]:
    """Nodes by the fleet list's filters, worst verdict first, then by name."""
    fresh = Q(watch__examined_at__gte=timezone.now() - STALE)
    nodes = access.nodes(user).annotate(
        now=Case(
            When(fresh & Q(watch__verdict__in=("ok", "warn", "fail")), then="watch__verdict"),
            default=Value("unknown"),
        )
    )
    if asked.provider:
        nodes = nodes.filter(provider__pk=typed.number(asked.provider) or 0)
    if asked.region:
        nodes = nodes.filter(region__code=asked.region)
    if asked.verdict:
        nodes = nodes.filter(now=asked.verdict)
    if asked.text:
        nodes = nodes.filter(matching(asked.text))
    opened = Finding.objects.filter(node=OuterRef("pk"), state=FindingState.OPEN).order_by()
    return (
        nodes.annotate(
            findings_open=Coalesce(
                Subquery(opened.values("node").annotate(n=Count("pk")).values("n")), Value(0)
            ),
            place=rank("verdict", "now"),
        )
        .select_related("provider", "region", "watch")
        .prefetch_related(
            Prefetch("gpus", Gpu.objects.exclude(state=GpuState.RETIRED)),
            Prefetch("leases", running_leases(), to_attr="running"),
        )
        .order_by("place", "name")
    )


def fleet_page(user: User, asked: Filters) -> Page[Node]:
    """One page of the fleet; a number out of range gives the nearest page."""
    return Paginator(fleet(user, asked), PAGE).get_page(asked.page)


def regions(user: User) -> QuerySet[Region]:
    """Regions that have nodes this person sees, for the filter."""
    seen = access.nodes(user).order_by().values("region")
    return Region.objects.filter(pk__in=seen).order_by("name")


def matching(text: str) -> Q:
    """Text of the search field: node, address, rack, asset tag, card, customer or order."""
    found = Q()
    for field in (
        "name",
        "address",
        "rack",
        "asset_tag",
        "gpus__uuid",
        "leases__order_id",
        "leases__customer__name",
    ):
        found |= Q(**{f"{field}__icontains": text})
    return Q(pk__in=Node.objects.filter(found).values("pk"))


def cards_of(user: User, node: Node) -> list[Gpu]:
    """The node's cards that have not been retired, by slot."""
    cards = access.gpus(user).filter(node=node).exclude(state=GpuState.RETIRED)
    return sorted(cards, key=lambda card: (len(card.slot), card.slot, card.pci_bus_id, card.uuid))


def leases_of(user: User, node: Node) -> list[Lease]:
    """The node's leases that have not ended, with their ports and cards."""
    rows = access.leases(user).filter(node=node).exclude(state=LeaseState.ENDED)
    return list(
        rows.select_related("customer").prefetch_related("gpus", "paths").order_by("order_id")
    )


def findings_here(user: User, node: Node) -> list[Finding]:
    """Open findings of a node that nothing else explains, the worst first."""
    roots = Q(root=None) | ~Q(root__state=FindingState.OPEN)
    return _worst_first(findings_of_node(user, node).filter(roots))


def findings_there(user: User, lease: Lease) -> list[Finding]:
    """Open findings of a lease, the worst first."""
    return _worst_first(findings_of_lease(user, lease))


def _worst_first(rows: QuerySet[Finding]) -> list[Finding]:
    weighed = rows.filter(state=FindingState.OPEN).annotate(weight=rank("severity"))
    joined = weighed.select_related("node__region", "gpu", "path", "lease__customer", "root")
    consequences = Finding.objects.filter(state=FindingState.OPEN).select_related("gpu", "path")
    told = joined.prefetch_related(Prefetch("consequences", consequences.order_by("opened_at")))
    return list(told.order_by("weight", "opened_at", "pk"))


def names_of(numbers: Iterable[int | None]) -> dict[int, str]:
    """Who the actors of events are, for staff."""
    asked = {number for number in numbers if number}
    return {user.pk: str(user) for user in User.objects.filter(pk__in=asked)} if asked else {}


def is_stale(examined_at: datetime | None) -> bool:
    """Whether the newest examination is too old to say how the node is."""
    return examined_at is None or examined_at < timezone.now() - STALE
