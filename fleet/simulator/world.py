"""What the simulated hosts are made of: plain records, kept as `fleet.json`. No Django, no SSH."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class CardSpec:
    """One card. `bdf` is the kernel's address (`0000:41:00.0`), `warmth_c` its place in the air."""

    uuid: str
    bdf: str
    slot: str
    model: str
    device_id: str
    board: str
    subsystem: str
    vbios: str
    memory_mib: int
    limit_w: int
    limit_default_w: int
    limit_min_w: int
    limit_max_w: int
    warmth_c: int


@dataclass(frozen=True, slots=True)
class PortSpec:
    """A published port: what the customer dials (`port` on the host) and where it leads."""

    kind: str
    port: int
    inside: int


@dataclass(frozen=True, slots=True)
class ContainerSpec:
    """A leased container. `load` is the share of a card's time its job uses (0 to 1)."""

    order: str
    name: str
    id: str
    image: str
    cards: tuple[str, ...]
    ports: tuple[PortSpec, ...]
    program: str
    load: float
    memory_mib: int


@dataclass(frozen=True, slots=True)
class HostSpec:
    """One host. `address` is on loopback; `host_key` and `host_public` are one OpenSSH pair."""

    name: str
    address: str
    host_key: str
    host_public: str
    driver: str
    driver_new: str
    cuda: str
    kernel: str
    system: str
    cpu: str
    cores: int
    ram_gib: int
    disk_gib: int
    ambient_c: int
    up_days: float
    cards: tuple[CardSpec, ...]
    containers: tuple[ContainerSpec, ...]


@dataclass(frozen=True, slots=True)
class World:
    """One installation's hosts. `authorized` are the public keys that may log in."""

    port: int
    users: tuple[str, ...]
    authorized: tuple[str, ...]
    hosts: tuple[HostSpec, ...]

    def host(self, name: str) -> HostSpec:
        """The host called `name`; KeyError if there is none."""
        for host in self.hosts:
            if host.name == name:
                return host
        raise KeyError(name)


def _host(data: Mapping[str, Any]) -> HostSpec:
    cards = tuple(CardSpec(**card) for card in data["cards"])
    containers = tuple(
        ContainerSpec(
            **{
                **each,
                "cards": tuple(each["cards"]),
                "ports": tuple(PortSpec(**port) for port in each["ports"]),
            }
        )
        for each in data["containers"]
    )
    return HostSpec(**{**data, "cards": cards, "containers": containers})


class Unreadable(ValueError):
    """A kept file is damaged, or another version of Halfhour wrote it."""


def load(folder: Path) -> World:
    """The world kept in `folder`. Raises FileNotFoundError if none was made yet, Unreadable."""
    text = (folder / "fleet.json").read_text(encoding="utf-8")
    try:
        return _world(json.loads(text))
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{folder / 'fleet.json'}: {error}") from error


def _world(data: Mapping[str, Any]) -> World:
    return World(
        port=data["port"],
        users=tuple(data["users"]),
        authorized=tuple(data["authorized"]),
        hosts=tuple(_host(host) for host in data["hosts"]),
    )


def save(world: World, folder: Path) -> None:
    """Keep the world in `folder`, readable by us alone (it holds the hosts' private keys)."""
    write_private(folder / "fleet.json", json.dumps(asdict(world), ensure_ascii=False, indent=1))


def write_private(path: Path, text: str) -> None:
    """Write `text` whole or not at all, mode 0600, in a folder of mode 0700."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    beside.replace(path)
