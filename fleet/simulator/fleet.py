"""All simulated hosts together: finding one by name, injecting, clearing, describing, keeping."""

import time
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from fleet.simulator import state
from fleet.simulator.faults import strike
from fleet.simulator.faults.kinds import find
from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.state import Injected
from fleet.simulator.world import World


class NotAHost(LookupError):
    """No simulated host has that name. `near` are names that look like it."""

    def __init__(self, name: str, near: list[str]) -> None:
        super().__init__(name)
        self.name = name
        self.near = near


class Fleet:
    """The hosts of one installation. `changed` is called with each host that an order changed."""

    def __init__(
        self,
        world: World,
        folder: Path,
        changed: Callable[[SimHost], None] = lambda _host: None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.folder = folder
        self.changed = changed
        self.states = state.load(folder, world.hosts)
        self.hosts = {
            spec.name: SimHost(spec, self.states[spec.name], clock) for spec in world.hosts
        }

    def host(self, name: str) -> SimHost:
        """The host called `name`. Raises NotAHost."""
        try:
            return self.hosts[name]
        except KeyError:
            raise NotAHost(name, get_close_matches(name, self.hosts, n=3, cutoff=0.5)) from None

    def _keep(self, host: SimHost) -> None:
        state.save(self.states, self.folder)
        self.changed(host)

    def inject(self, name: str, fault: str, *, gpu: str = "", path: str = "") -> dict[str, Any]:
        """Let a fault happen. Raises NotAHost, NotAFault or NotThere."""
        host = self.host(name)
        injected = strike.inject(host, fault, gpu=gpu, path=path)
        self._keep(host)
        return {"node": name, **fault_row(host, injected)}

    def clear(self, name: str, fault: str = "") -> dict[str, Any]:
        """Make a host well. Raises NotAHost or NotAFault."""
        host = self.host(name)
        if fault:
            find(fault)
        boot = host.state.boot.id
        gone = strike.clear(host, fault)
        self._keep(host)
        return {
            "node": name,
            "cleared": [fault_row(host, each) for each in gone],
            "restarted": host.state.boot.id != boot,
        }

    def rows(self) -> list[dict[str, Any]]:
        """One short row a host."""
        return [
            {
                "node": name,
                "address": host.spec.address,
                "gpus": len(host.spec.cards),
                "answering": host.answering,
                "faults": [fault_row(host, fault) for fault in host.state.faults],
            }
            for name, host in self.hosts.items()
        ]

    def describe(self, name: str) -> dict[str, Any]:
        """Everything about one host. Raises NotAHost."""
        host = self.host(name)
        return {
            "node": name,
            "address": host.spec.address,
            "answering": host.answering,
            "boot_id": host.state.boot.id,
            "uptime_s": round(host.uptime, 1),
            "driver": host.spec.driver,
            "faults": [fault_row(host, fault) for fault in host.state.faults],
            "gpus": [_card_row(card) for card in host.cards()],
            "containers": [
                {
                    "order": each.order,
                    "name": each.name,
                    "running": host.running(each),
                    "ports": [
                        {
                            "kind": port.kind,
                            "port": port.port,
                            "inside": port.inside,
                            "fault": host.port_fault(port.port),
                        }
                        for port in each.ports
                    ],
                }
                for each in host.spec.containers
            ],
        }


def fault_row(host: SimHost, fault: Injected) -> dict[str, Any]:
    """A fault that is there, with the index of its card."""
    index = next((n for n, card in enumerate(host.spec.cards) if card.uuid == fault.gpu), None)
    return {
        "fault": fault.name,
        "code": find(fault.name).code,
        "since": round(fault.since, 3),
        "gpu": index,
        "uuid": fault.gpu,
        "port": fault.port or None,
    }


def _card_row(card: CardNow) -> dict[str, Any]:
    now = card.readings
    return {
        "index": card.index,
        "uuid": card.spec.uuid,
        "pci": card.spec.bdf,
        "order": card.container.order if card.container else "",
        "lost": card.lost,
        "temperature_c": now.temperature_c if now else None,
        "power_w": round(now.power_w, 1) if now else None,
        "load_pct": now.load_pct if now else None,
        "width_x": card.width,
    }
