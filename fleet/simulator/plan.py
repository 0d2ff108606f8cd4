"""Draws the drill fleet: the same nodes, cards and leases every time, on ports free right now."""

import hashlib
import random
import socket
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

from fleet.simulator.sites import (
    BOARDS,
    BUSES,
    CARDS,
    JOBS,
    LEASES,
    MORE,
    NODES,
    SITES,
    SYSTEMS,
    Site,
    Tenancy,
)
from fleet.simulator.world import CardSpec, ContainerSpec, HostSpec, PortSpec
from fleet.transport.keys import generate

UUIDS = uuid.UUID("6f0f4a1c-0d2e-5c7a-9b43-4090aa4090bb")
# Below the range from which the system takes ports for outgoing connections.
PORTS = range(20100, 32000)
SPECIAL_D, SPECIAL_CAPPED = "zw-r02-n02", "sh-r02-n02"


@dataclass(frozen=True, slots=True)
class Place:
    """A node's place in the house, as the inventory keeps it."""

    site: Site
    rack: str
    rack_unit: str
    pdu: str
    circuit: str
    uplink: str
    asset_tag: str
    psu_watts: int


@dataclass(frozen=True, slots=True)
class Planned:
    """One node: what it is made of and where it stands."""

    host: HostSpec
    place: Place


def free_ports() -> Iterator[int]:
    """Ports on which nothing listens at any address of this machine, in random order."""
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            try:
                probe.bind(("0.0.0.0", port))  # noqa: S104 - bound for an instant, never listening
            except OSError:
                continue
        yield port


def _seats(count: int) -> Iterator[tuple[Site, int]]:
    """(site, number in the site) of each node."""
    seats = [(site, number) for site in SITES for number in range(site.nodes)]
    yield from seats[:count]
    yield from ((MORE, number) for number in range(max(0, count - NODES)))


def _name(site: Site, number: int) -> str:
    per_rack = 20 if site is MORE else 4
    return f"{site.code}-r{number // per_rack + 1:02d}-n{number % per_rack + 1:02d}"


def card_uuid(node: str, index: int) -> str:
    """The same card has the same UUID in every installation."""
    return f"GPU-{uuid.uuid5(UUIDS, f'{node}/{index}')}"


def _cards(node: str, count: int) -> tuple[CardSpec, ...]:
    is_d = node == SPECIAL_D
    cards = []
    for index in range(count):
        mix = int(hashlib.sha256(f"{node}/{index}".encode()).hexdigest()[:6], 16)
        board, subsystem, vbios, low, high = BOARDS[mix % len(BOARDS)]
        cards.append(
            CardSpec(
                uuid=card_uuid(node, index),
                bdf=f"0000:{BUSES[index]}:00.0",
                slot=str(index + 1),
                model="NVIDIA GeForce RTX 4090 D" if is_d else "NVIDIA GeForce RTX 4090",
                device_id="2685" if is_d else "2684",
                board=board,
                subsystem=subsystem,
                vbios=vbios,
                memory_mib=24564,
                limit_w=400 if node == SPECIAL_CAPPED else 425 if is_d else 450,
                limit_default_w=425 if is_d else 450,
                limit_min_w=low,
                limit_max_w=high,
                # Inner cards breathe their neighbours' air.
                warmth_c=mix % 3 + (4 if 0 < index < count - 1 else 0),
            )
        )
    return tuple(cards)


def _container(lease: Tenancy, ports: Iterator[int]) -> ContainerSpec:
    job = JOBS[lease.job]
    return ContainerSpec(
        order=lease.order,
        name=f"hh-{lease.order.rsplit('-', 1)[1]}",
        id=hashlib.sha256(lease.order.encode()).hexdigest(),
        image=job.image,
        cards=tuple(card_uuid(lease.node, n) for n in range(lease.first, lease.last)),
        ports=tuple(PortSpec(kind, next(ports), inside) for kind, inside in job.doors),
        program=job.program,
        load=job.load,
        memory_mib=job.memory_mib,
    )


def _host(site: Site, number: int, ports: Iterator[int]) -> HostSpec:
    name = _name(site, number)
    private, public = generate(name)
    count = CARDS[number % len(CARDS)]
    driver, driver_new, cuda, kernel, system = SYSTEMS[number % len(SYSTEMS)]
    return HostSpec(
        name=name,
        address=f"127.77.{site.net + number // 200}.{11 + number % 200}",
        host_key=private,
        host_public=" ".join(public.split()[:2]),
        driver=driver,
        driver_new=driver_new,
        cuda=cuda,
        kernel=kernel,
        system=system,
        cpu="AMD EPYC 9354 32-Core Processor" if count == 8 else "AMD EPYC 7543 32-Core Processor",
        cores=64,
        ram_gib=512 if count == 8 else 256,
        disk_gib=7000 if count == 8 else 3500,
        ambient_c=site.ambient_c,
        up_days=12.5 + number * 5.25,
        cards=_cards(name, count),
        containers=tuple(_container(lease, ports) for lease in LEASES if lease.node == name),
    )


def place(site: Site, number: int) -> Place:
    """Rack, power and network of a node: what a shared cause would be named by."""
    name = _name(site, number)
    rack = f"{site.code.upper()}-{name.split('-')[1].upper()}"
    unit = number % 4
    return Place(
        site=site,
        rack=rack,
        rack_unit=f"U{4 + unit * 9:02d}",
        pdu=f"{rack}-PDU-{'AB'[unit % 2]}",
        circuit=f"{rack}-C{unit // 2 + 1}",
        uplink=f"{site.code}-tor-{name.split('-')[1]}:{unit + 1}",
        asset_tag=f"HH{site.net:03d}{number + 1:03d}",
        psu_watts=2400 * (2 if CARDS[number % len(CARDS)] == 8 else 1) + 1600,
    )


def draw(count: int = NODES) -> list[Planned]:
    """The fleet anew: new host keys, ports that are free now, everything else as ever."""
    ports = free_ports()
    return [
        Planned(_host(site, number, ports), place(site, number)) for site, number in _seats(count)
    ]


def places(count: int) -> dict[str, Place]:
    """Node name → place, of the first `count` nodes."""
    return {_name(site, number): place(site, number) for site, number in _seats(count)}
