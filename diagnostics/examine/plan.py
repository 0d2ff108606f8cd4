"""Claimed rows → plain data for the examiner's threads, in a constant number of queries."""

import logging
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from diagnostics.examine.models import VisitRequest, Watch
from diagnostics.examine.record import READ, Before, LeaseRef, VisitPlan
from diagnostics.examine.states import VisitState
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from diagnostics.probes.reading import Expectation, ExpectedGpu, ExpectedLease, ExpectedPath
from diagnostics.probes.runtime.host_restart import ANNOUNCED_S, NEWS_S
from fleet.changes.models import Event
from fleet.inventory.models import Credential, Gpu, HostKey, JumpHost, Node
from fleet.inventory.states import GpuState, HostKeyState
from fleet.leases.models import AccessPath, Lease, LeaseKind
from fleet.leases.states import LeaseState
from fleet.transport import keys
from fleet.transport.result import Address

log = logging.getLogger(__name__)
CONTROLS = 3
CONTROL_POOL = 24
LATELY = timedelta(minutes=3)
UNREACHABLE = "node_unreachable"
RESTART_ANNOUNCED = "restart_announced"

_loaded: dict[int, str] = {}  # credential → the secret in this process's key ring


def plans(watches: QuerySet[Watch], *, deadline: float) -> list[VisitPlan]:
    """One plan per claimed row. `deadline` is monotonic seconds, counted from the claim."""
    rows = list(
        watches.select_related(
            "node__provider", "node__credential", "node__jump__credential"
        ).defer("readings")
    )
    nodes = [row.node for row in rows]
    pks = [node.pk for node in nodes]
    leases, refs = _leases(pks)
    gpus, keys_of, asked = _gpus(pks), _host_keys(pks), _asked(pks)
    restarts = _announced_restarts(pks)
    controls = _controls({node.provider.simulated for node in nodes})
    return [
        VisitPlan(
            node_id=row.node_id,
            name=row.node.name,
            token=row.token,
            deadline=deadline,
            address=_address(row.node, keys_of.get(row.node_id)),
            expectation=Expectation(
                gpus=tuple(gpus[row.node_id]),
                leases=tuple(lease for lease, _paths in leases[row.node_id]),
                paths=tuple(path for _lease, paths in leases[row.node_id] for path in paths),
                memory=row.memory,
                restart_announced_at=restarts.get(row.node_id),
            ),
            asked=row.node_id in asked,
            simulated=row.node.provider.simulated,
            controls=_controls_for(row.node, controls),
            leases=refs[row.node_id],
            before=_before(row),
        )
        for row in rows
    ]


def _before(row: Watch) -> Before:
    read = row.memory.get(READ, {})
    return Before(
        examined=row.examined_at is not None,
        verdict=row.verdict,
        not_ok=read.get("not_ok", {}),
        targets=frozenset(read.get("targets", ())),
        streaks=row.streaks,
        facts=row.facts,
    )


def _address(node: Node, host_key: str | None) -> Address | None:
    credential = node.credential
    if credential is None or not host_key:
        return None
    return Address(
        host=node.address,
        port=node.port,
        username=credential.username,
        key_id=_key(credential),
        host_key=host_key,
        jump=_bastion(node.jump) if node.jump else None,
    )


def _bastion(jump: JumpHost) -> Address:
    return Address(
        host=jump.address,
        port=jump.port,
        username=jump.credential.username,
        key_id=_key(jump.credential),
        host_key=jump.host_key,
    )


def _key(credential: Credential) -> int:
    """Put the private key in the process's ring, once per secret.

    One that cannot be decrypted stays out: the login is refused then, for its own nodes only.
    """
    if _loaded.get(credential.pk) != credential.secret:
        try:
            keys.ring.put(credential.pk, keys.decrypt(credential.secret))
        except keys.KeyUnreadable as error:
            log.error("credential %s: %s", credential.pk, error)
        _loaded[credential.pk] = credential.secret
    return credential.pk


def _host_keys(nodes: Sequence[int]) -> dict[int, str]:
    rows = HostKey.objects.filter(node__in=nodes, state=HostKeyState.PINNED)
    return {
        node: f"{algorithm} {public.split()[-1]}"
        for node, algorithm, public in rows.values_list("node", "algorithm", "public_key")
    }


def _gpus(nodes: Sequence[int]) -> Mapping[int, list[ExpectedGpu]]:
    found: dict[int, list[ExpectedGpu]] = defaultdict(list)
    rows = Gpu.objects.filter(node__in=nodes).exclude(state=GpuState.RETIRED).order_by("pk")
    for node, uuid, bus, model, power, width in rows.values_list(
        "node", "uuid", "pci_bus_id", "model", "power_limit_w", "pcie_width"
    ):
        found[node].append(ExpectedGpu(uuid, bus, model, power, width))
    return found


def _announced_restarts(nodes: Sequence[int]) -> dict[int, float]:
    """When somebody last announced a restart of these nodes, epoch seconds; only what is recent."""
    since = timezone.now() - timedelta(seconds=NEWS_S + ANNOUNCED_S)
    rows = Event.objects.filter(kind=RESTART_ANNOUNCED, node_id__in=nodes, at__gte=since)
    return {
        node: at.timestamp()
        for node, at in rows.order_by("at").values_list("node_id", "at")
        if node is not None
    }


def _asked(nodes: Sequence[int]) -> set[int]:
    rows = VisitRequest.objects.filter(node__in=nodes, state=VisitState.QUEUED)
    return set(rows.values_list("node", flat=True))


_Leases = Mapping[int, list[tuple[ExpectedLease, list[ExpectedPath]]]]


def _leases(nodes: Sequence[int]) -> tuple[_Leases, Mapping[int, dict[str, LeaseRef]]]:
    """Running leases with their cards and ports, by node."""
    rows = list(
        Lease.objects.filter(node__in=nodes, state=LeaseState.ACTIVE)
        .order_by("pk")
        .values_list("pk", "node", "order_id", "customer", "kind", "container")
    )
    pks = [row[0] for row in rows]
    uuids: dict[int, list[str]] = defaultdict(list)
    held = Lease.gpus.through.objects.filter(lease__in=pks)
    for holder, uuid in held.values_list("lease", "gpu__uuid"):
        uuids[holder].append(uuid)
    paths = _paths({row[0]: row[2] for row in rows})
    found: dict[int, list[tuple[ExpectedLease, list[ExpectedPath]]]] = defaultdict(list)
    refs: dict[int, dict[str, LeaseRef]] = defaultdict(dict)
    for pk, node, order_id, customer, kind, container in rows:
        inside = "" if kind == LeaseKind.BARE_METAL else container
        lease = ExpectedLease(order_id, kind, inside, tuple(sorted(uuids[pk])))
        found[node].append((lease, paths[pk]))
        refs[node][order_id] = LeaseRef(pk, customer)
    return found, refs


def _paths(orders: Mapping[int, str]) -> Mapping[int, list[ExpectedPath]]:
    found: dict[int, list[ExpectedPath]] = defaultdict(list)
    for path in AccessPath.objects.filter(lease__in=list(orders)).order_by("pk"):
        found[path.lease_id].append(
            ExpectedPath(
                id=path.pk,
                lease=orders[path.lease_id],
                kind=path.kind,
                host=path.public_host,
                port=path.public_port,
                node_port=path.node_port,
                container_port=path.container_port,
            )
        )
    return found


_Control = tuple[int, str, str, int]  # node, rack, address, port


def _controls(worlds: set[bool]) -> dict[bool, list[_Control]]:
    """Nodes that answered lately, by world: a simulated one proves nothing of the real network."""
    down = Finding.objects.filter(node=OuterRef("pk"), state=FindingState.OPEN, code=UNREACHABLE)
    return {
        simulated: list(
            Node.objects.filter(
                ~Exists(down),
                provider__simulated=simulated,
                jump=None,
                watch__examined_at__gte=timezone.now() - LATELY,
            )
            .order_by("-watch__examined_at")
            .values_list("pk", "rack", "address", "port")[:CONTROL_POOL]
        )
        for simulated in worlds
    }


def _controls_for(node: Node, pool: Mapping[bool, list[_Control]]) -> tuple[tuple[str, int], ...]:
    """The installation's control hosts, or a few other nodes, those of other racks first."""
    if settings.CONTROL_HOSTS and not node.provider.simulated:
        return tuple(settings.CONTROL_HOSTS)
    others = [row for row in pool[node.provider.simulated] if row[0] != node.pk]
    turn = node.pk % len(others) if others else 0
    turned = sorted(others[turn:] + others[:turn], key=lambda row: row[1] == node.rack)
    return tuple((address, port) for _pk, _rack, address, port in turned[:CONTROLS])
