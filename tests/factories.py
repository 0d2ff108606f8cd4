"""Makes rows for tests: every factory needs nothing and takes any field by name."""

import itertools
from datetime import timedelta
from typing import Any

from django.utils import timezone

from diagnostics.examine.models import SHARDS, Watch
from diagnostics.findings.models import Finding
from fleet.inventory.models import Credential, Gpu, HostKey, Node, Provider, Region
from fleet.inventory.states import HostKeyState, NodeState
from fleet.leases.models import AccessPath, Lease
from fleet.leases.states import LeaseState
from fleet.people.models import Customer, Membership, Role, User
from tickets.cases.models import Ticket
from tickets.cases.opening import open_ticket
from tickets.incidents.models import Incident

_numbers = itertools.count(1)


def make_provider(**fields: Any) -> Provider:
    return Provider.objects.create(**{"name": f"provider-{next(_numbers)}", **fields})


def make_region(**fields: Any) -> Region:
    number = next(_numbers)
    return Region.objects.create(
        **{"code": f"region-{number}", "name": f"Region {number}", **fields}
    )


def make_credential(**fields: Any) -> Credential:
    defaults = {"name": f"key-{next(_numbers)}", "secret": "", "public_key": ""}
    return Credential.objects.create(**{**defaults, **fields})


def make_node(*, simulated: bool = False, gpus: int = 0, **fields: Any) -> Node:
    """A node in service, with `gpus` cards in its inventory."""
    number = next(_numbers)
    defaults: dict[str, Any] = {
        "name": f"node-{number:04d}",
        "address": f"127.88.{number // 250}.{number % 250 + 1}",
        "state": NodeState.ACTIVE,
    }
    if "provider" not in fields:
        defaults["provider"] = make_provider(simulated=simulated)
    if "region" not in fields:
        defaults["region"] = make_region()
    node = Node.objects.create(**{**defaults, **fields})
    for slot in range(gpus):
        make_gpu(node=node, slot=str(slot), pci_bus_id=f"00000000:{slot + 1:02X}:00.0")
    return node


def make_gpu(*, node: Node | None = None, **fields: Any) -> Gpu:
    uuid = f"GPU-00000000-0000-0000-0000-{next(_numbers):012d}"
    defaults = {"uuid": uuid, "memory_mib": 24564, "power_limit_w": 450, "pcie_width": 16}
    return Gpu.objects.create(**{**defaults, "node": node or make_node(), **fields})


def make_host_key(*, node: Node | None = None, **fields: Any) -> HostKey:
    defaults = {
        "algorithm": "ssh-ed25519",
        "public_key": f"AAAA{next(_numbers)}",
        "fingerprint": f"SHA256:{next(_numbers)}",
        "state": HostKeyState.PINNED,
        "pinned_at": timezone.now(),
    }
    return HostKey.objects.create(**{**defaults, "node": node or make_node(), **fields})


def make_customer(**fields: Any) -> Customer:
    return Customer.objects.create(**{"name": f"customer-{next(_numbers)}", **fields})


def make_user(
    role: str = Role.CUSTOMER,
    *,
    customer: Customer | None = None,
    password: str = "pass",
    **fields: Any,
) -> User:
    """A person who can sign in with `password`; `customer` is whom they act for."""
    defaults = {"email": f"person-{next(_numbers)}@example.org", "role": role}
    user = User.objects.create_user(password=password, **{**defaults, **fields})
    if customer is not None:
        Membership.objects.create(user=user, customer=customer)
    return user


def make_lease(
    *, node: Node | None = None, customer: Customer | None = None, gpus: Any = (), **fields: Any
) -> Lease:
    """A running lease, confirmed just now."""
    number = next(_numbers)
    now = timezone.now()
    defaults: dict[str, Any] = {
        "order_id": f"order-{number}",
        "state": LeaseState.ACTIVE,
        "container": f"lease-{number}",
        "image": "images.example/pytorch:2.6",
        "starts_at": now - timedelta(days=1),
        "confirmed_at": now,
        "node": node or make_node(gpus=2),
        "customer": customer or make_customer(),
    }
    lease = Lease.objects.create(**{**defaults, **fields})
    lease.gpus.set(gpus)
    return lease


def make_path(*, lease: Lease | None = None, **fields: Any) -> AccessPath:
    """A published SSH port."""
    port = 20000 + next(_numbers)
    defaults = {
        "public_host": "127.0.0.1",
        "public_port": port,
        "node_port": port,
        "container_port": 22,
    }
    return AccessPath.objects.create(**{**defaults, "lease": lease or make_lease(), **fields})


def make_watch(*, node: Node | None = None, **fields: Any) -> Watch:
    """What the examiners know of a node: due now, never examined."""
    node = node or make_node()
    defaults = {"shard": node.pk % SHARDS, "due_at": timezone.now()}
    watch, _ = Watch.objects.update_or_create(node=node, defaults={**defaults, **fields})
    return watch


def make_finding(*, node: Node | None = None, **fields: Any) -> Finding:
    """An open finding; by default the node does not answer."""
    now = timezone.now()
    defaults = {
        "code": "node_unreachable",
        "target": "node",
        "layer": "network",
        "severity": "critical",
        "opens": "incident",
        "probe": "node_reachable",
        "reason": "node_unreachable",
        "opened_at": now,
        "last_seen_at": now,
    }
    return Finding.objects.create(**{**defaults, "node": node or make_node(), **fields})


def make_ticket(*, lease: Lease | None = None, **fields: Any) -> Ticket:
    """A ticket from the customer's page, about an instance of theirs unless told otherwise."""
    if "customer" not in fields:
        lease = lease or make_lease()
        fields["customer"] = lease.customer
    defaults = {"subject": "Training stopped", "source": "portal", "klass": "complex"}
    return open_ticket(**{**defaults, "lease": lease, **fields})


def make_incident(*, node: Node | None = None, **fields: Any) -> Incident:
    """An incident of a finding on the whole node."""
    finding = fields.pop("finding", None) or make_finding(node=node or make_node())
    defaults = {"code": finding.code, "target": finding.target, "opened_at": finding.opened_at}
    return Incident.objects.create(node=finding.node, finding=finding, **{**defaults, **fields})
