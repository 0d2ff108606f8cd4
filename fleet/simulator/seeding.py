"""Writes the drill fleet into the inventory: only what is missing, in few statements."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction

from fleet.inventory.models import Credential, Gpu, HostKey, Node, Provider, Region
from fleet.inventory.states import HostKeyState, NodeState
from fleet.leases.models import AccessPath, Lease
from fleet.leases.states import LeaseState
from fleet.people.models import Customer
from fleet.simulator.plan import Place
from fleet.simulator.sites import CUSTOMERS, LEASES, Tenancy
from fleet.simulator.world import ContainerSpec, HostSpec, World
from fleet.transport.keys import fingerprint

CNY_PER_CARD_HOUR = Decimal("1.98")
USD_PER_CARD_HOUR = Decimal("0.34")


def providers_and_regions(places: Mapping[str, Place]) -> dict[str, tuple[Provider, Region]]:
    """Site code → its provider and region, made if missing."""
    found = {}
    for site in {place.site.code: place.site for place in places.values()}.values():
        provider, _new = Provider.objects.get_or_create(
            name=site.provider, defaults={"simulated": True}
        )
        facts = {"name": site.name, "jurisdiction": site.jurisdiction, "carrier": site.carrier}
        region, _new = Region.objects.get_or_create(code=site.region, defaults=facts)
        found[site.code] = (provider, region)
    return found


def nodes(world: World, places: Mapping[str, Place], credential: Credential) -> dict[str, Node]:
    """The nodes by name: missing ones made, addresses of the others brought up to date."""
    homes = providers_and_regions(places)
    there = {node.name: node for node in Node.objects.filter(name__in=places)}
    missing = [host for host in world.hosts if host.name not in there]
    made = Node.objects.bulk_create(
        [_node(host, world, places[host.name], homes, credential) for host in missing]
    )
    there |= {node.name: node for node in made}
    moved = []
    for host in world.hosts:
        node = there[host.name]
        if (node.address, node.port) != (host.address, world.port):
            node.address, node.port = host.address, world.port
            moved.append(node)
    Node.objects.bulk_update(moved, ["address", "port"])
    Gpu.objects.bulk_create(_missing_cards(world, there))
    _pin(world, there)
    return there


def _node(
    host: HostSpec,
    world: World,
    place: Place,
    homes: Mapping[str, tuple[Provider, Region]],
    credential: Credential,
) -> Node:
    provider, region = homes[place.site.code]
    return Node(
        name=host.name,
        provider=provider,
        region=region,
        state=NodeState.ACTIVE,
        address=host.address,
        port=world.port,
        credential=credential,
        room=place.site.room,
        rack=place.rack,
        rack_unit=place.rack_unit,
        pdu=place.pdu,
        circuit=place.circuit,
        uplink=place.uplink,
        asset_tag=place.asset_tag,
        psu_watts=place.psu_watts,
        cpu_model=host.cpu,
        cpu_cores=host.cores,
        ram_gib=host.ram_gib,
        disk_gib=host.disk_gib,
    )


def _missing_cards(world: World, there: Mapping[str, Node]) -> list[Gpu]:
    known = set(Gpu.objects.filter(node__in=there.values()).values_list("uuid", flat=True))
    return [
        Gpu(
            node=there[host.name],
            uuid=card.uuid,
            model=card.model,
            pci_bus_id=card.bdf,
            slot=card.slot,
            memory_mib=card.memory_mib,
            power_limit_w=card.limit_w,
            pcie_width=16,
            vbios=card.vbios,
        )
        for host in world.hosts
        for card in host.cards
        if card.uuid not in known
    ]


def _pin(world: World, there: Mapping[str, Node]) -> None:
    """Trust the keys of the hosts we made ourselves; no person could compare them better."""
    pinned = {
        key.node_id: key
        for key in HostKey.objects.filter(node__in=there.values(), state=HostKeyState.PINNED)
    }
    wanted = {}
    for host in world.hosts:
        algorithm, body = host.host_public.split()
        key = pinned.get(there[host.name].pk)
        if key is None or key.public_key != body:
            wanted[there[host.name].pk] = (algorithm, body)
    old = HostKey.objects.filter(node__in=wanted, state=HostKeyState.PINNED)
    old.update(state=HostKeyState.RETIRED)
    HostKey.objects.bulk_create(
        HostKey(
            node_id=pk,
            algorithm=algorithm,
            public_key=body,
            fingerprint=fingerprint(f"{algorithm} {body}"),
            state=HostKeyState.PINNED,
        )
        for pk, (algorithm, body) in wanted.items()
    )


def customers() -> dict[str, Customer]:
    """The drill's customers by name."""
    return {
        name: Customer.objects.get_or_create(
            name=name, defaults={"language": language, "zone": zone, "simulated": True}
        )[0]
        for name, (language, zone) in CUSTOMERS.items()
    }


def leases(
    world: World, there: Mapping[str, Node], renters: Mapping[str, Customer], now: datetime
) -> None:
    """The leases that are missing, with their cards and ports."""
    known = set(Lease.objects.values_list("order_id", flat=True))
    containers = {c.order: (host, c) for host in world.hosts for c in host.containers}
    chosen = [row for row in LEASES if row.order not in known and row.order in containers]
    made = Lease.objects.bulk_create(
        [_lease(row, containers[row.order][1], there, renters, now) for row in chosen]
    )
    cards = {gpu.uuid: gpu.pk for gpu in Gpu.objects.filter(node__in=there.values())}
    held = Lease.gpus.through
    held._default_manager.bulk_create(
        held(lease_id=lease.pk, gpu_id=cards[uuid])
        for lease in made
        for uuid in containers[lease.order_id][1].cards
    )
    AccessPath.objects.bulk_create(
        AccessPath(
            lease=lease,
            kind=port.kind,
            public_host=containers[lease.order_id][0].address,
            public_port=port.port,
            node_port=port.port,
            container_port=port.inside,
        )
        for lease in made
        for port in containers[lease.order_id][1].ports
    )


def _lease(
    row: Tenancy,
    container: ContainerSpec,
    there: Mapping[str, Node],
    renters: Mapping[str, Customer],
    now: datetime,
) -> Lease:
    node = there[row.node]
    dollars = node.region.jurisdiction == "SG"
    each = USD_PER_CARD_HOUR if dollars else CNY_PER_CARD_HOUR
    started = now - timedelta(days=row.days, hours=row.first * 3)
    return Lease(
        order_id=row.order,
        customer=renters[row.customer],
        node=node,
        state=LeaseState.ACTIVE,
        container=container.name,
        image=container.image,
        limits={"disk_gib": 1000, "ram_gib": 48 * len(container.cards), "shm_gib": 8},
        price=each * len(container.cards),
        price_unit="USD/h" if dollars else "CNY/h",
        starts_at=started,
        ends_at=started + timedelta(days=90),
        confirmed_at=now,
    )


def write(
    world: World, places: Mapping[str, Place], credential: Credential, now: datetime
) -> dict[str, Customer]:
    """All of it, whole or not at all; the customers by name."""
    with transaction.atomic():
        there = nodes(world, places, credential)
        renters = customers()
        leases(world, there, renters, now)
    return renters
