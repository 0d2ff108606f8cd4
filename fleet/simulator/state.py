"""What changes on a simulated host: its boot, its faults, its kernel log. Kept across restarts."""

import json
import logging
import time
import uuid
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fleet.simulator.world import HostSpec, write_private

log = logging.getLogger(__name__)

DAY_S = 86400.0


@dataclass(slots=True)
class Injected:
    """A fault that is there now. `gpu` is a card's UUID, `port` a published port (0: none)."""

    name: str
    since: float
    gpu: str = ""
    port: int = 0


@dataclass(slots=True)
class KernelLine:
    """A line the kernel wrote (or will write, when `at` lies ahead) after it had booted."""

    at: float
    priority: int
    text: str


@dataclass(slots=True)
class Boot:
    """One run of the kernel. `first_seq` numbers its first journal entry; `at` is epoch seconds."""

    id: str
    at: float
    first_seq: int
    log: list[KernelLine] = field(default_factory=list)


@dataclass(slots=True)
class Mark:
    """A card's temperature at the moment its circumstances last changed."""

    temperature_c: float
    at: float


@dataclass(slots=True)
class HostState:
    """Everything about a host that an injection or a restart can change."""

    boot: Boot
    before: Boot | None = None
    faults: list[Injected] = field(default_factory=list)
    marks: dict[str, Mark] = field(default_factory=dict)
    # Containers not started by the boot itself: name → epoch seconds.
    started: dict[str, float] = field(default_factory=dict)
    # A restarting host answers again at this instant.
    down_until: float = 0.0


def fresh(spec: HostSpec, now: float | None = None) -> HostState:
    """A healthy host that has been up for the days its spec names."""
    at = (time.time() if now is None else now) - spec.up_days * DAY_S
    return HostState(boot=Boot(id=str(uuid.uuid4()), at=at, first_seq=1))


def _boot(data: dict[str, Any]) -> Boot:
    return Boot(**{**data, "log": [KernelLine(**line) for line in data["log"]]})


def _host(data: dict[str, Any]) -> HostState:
    before = data["before"]
    return HostState(
        boot=_boot(data["boot"]),
        before=_boot(before) if before else None,
        faults=[Injected(**fault) for fault in data["faults"]],
        marks={card: Mark(**mark) for card, mark in data["marks"].items()},
        started=data["started"],
        down_until=data["down_until"],
    )


def load(folder: Path, specs: Iterable[HostSpec]) -> dict[str, HostState]:
    """The kept state of every host; hosts not seen before are healthy.

    A file that cannot be read is set aside: a drill loses its faults then, not its fleet.
    """
    path = folder / "state.json"
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
        kept = {name: _host(row) for name, row in rows.items()}
    except FileNotFoundError:
        kept = {}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("%s cannot be read and is set aside: %s", path, error)
        path.replace(path.with_suffix(".broken"))
        kept = {}
    return {spec.name: kept.get(spec.name) or fresh(spec) for spec in specs}


def save(states: dict[str, HostState], folder: Path) -> None:
    """Keep all states, whole or not at all."""
    text = json.dumps({name: asdict(state) for name, state in states.items()}, ensure_ascii=False)
    write_private(folder / "state.json", text)
