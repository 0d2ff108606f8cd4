"""A healthy node of two leased RTX 4090s as an observation, and ways to break one thing of it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from diagnostics.probes import judge as judging
from diagnostics.probes.reading import (
    Expectation,
    ExpectedGpu,
    ExpectedLease,
    ExpectedPath,
    Observation,
    OutsideCheck,
    Reading,
    Section,
    SectionState,
)

NOW = 1796000000.0
BOOT = "0f6e8f58-0000-4000-8000-000000000001"
UUIDS = ("GPU-a", "GPU-b")


def card(index: int, **changes: Any) -> dict[str, Any]:
    return {
        "source": "nvml", "state": "ok", "index": index, "uuid": UUIDS[index],
        "name": "NVIDIA GeForce RTX 4090", "pci": f"0000:4{1 + index}:00.0", "minor": index,
        "vbios": "95.02", "pstate": 2, "temperature_c": 66, "margin_c": 17, "slowdown_c": None,
        "target_c": None, "fan_pct": 55, "power_w": 431.0, "limit_w": 450.0,
        "limit_enforced_w": 450.0, "limit_default_w": 450.0, "limit_min_w": 150.0,
        "limit_max_w": 600.0, "sm_mhz": 2520, "mem_mhz": 10251, "util_pct": 97, "util_mem_pct": 43,
        "memory_total_mib": 24564, "memory_used_mib": 23000, "memory_free_mib": 1214,
        "memory_reserved_mib": 350, "gen": 4, "gen_max": 4, "width_x": 16, "width_max_x": 16,
        "ecc": False, "persistence": True, "reasons": 0, "remapped": [0, 0, 0, 0],
        "action": "none", "processes": [{"pid": 7, "mib": 22990}], "errors": {},
    } | changes  # fmt: skip


def container(order: str, port: int, **changes: Any) -> dict[str, Any]:
    mapping = [{"ip": "0.0.0.0", "host": port, "inside": 22}]
    return {
        "id": f"{order:0<12}", "name": f"lease-{order}", "state": "running", "exit_code": 0,
        "oom": False, "ports": mapping, "bound": mapping, "gpus": [],
    } | changes  # fmt: skip


def healthy_facts() -> dict[str, Any]:
    return {
        "nvidia": {"answer": "ok", "via": "nvml", "driver": "580.65.06", "text": "", "code": None,
                   "stuck": []},
        "gpus": [card(0), card(1)],
        "driver": {"loaded": True, "version": "580.65.06", "nouveau": False, "kernel": "6.8.0-60"},
        "pci": [
            {"pci": f"0000:4{n}:00.0", "device": "2684", "width_x": 16, "width_max_x": 16,
             "dead": False}
            for n in (1, 2)
        ],
        "kernel": {"source": "journal", "cursor": "s=1;i=5", "lines": [], "skipped": 0},
        "containers": [container("A", 33022), container("B", 33023)],
        "sockets": [{"address": "0.0.0.0", "port": 33022}, {"address": "0.0.0.0", "port": 33023}],
        "disks": {
            "space": [{"mount": "/", "size": 1000, "used": 400, "free": 600}],
            "inodes": [{"mount": "/", "size": 1000, "used": 100, "free": 900}],
        },
        "procs": [],
        "python": {"version": "3.11.7", "kit": "kit-1", "cpu_ms": 60, "wall_ms": 200},
    }  # fmt: skip


class Node:
    """A node to be judged. Change `facts`, `states`, `outside` or the expectation, then judge."""

    def __init__(self) -> None:
        self.facts = healthy_facts()
        self.states: dict[str, SectionState] = {}
        self.texts: dict[str, str] = {}
        self.reached = "ok"
        self.boot, self.now = BOOT, NOW
        self.outside = {7: OutsideCheck(7, "ok", "SSH-2.0-OpenSSH_9.6", 12),
                        8: OutsideCheck(8, "ok", "SSH-2.0-OpenSSH_9.6", 12)}  # fmt: skip
        self.expectation = Expectation(
            gpus=tuple(
                ExpectedGpu(uuid, f"00000000:4{1 + n}:00.0", power_limit_w=450, pcie_width_x=16)
                for n, uuid in enumerate(UUIDS)
            ),
            leases=(
                ExpectedLease("A", "container", "lease-A", ("GPU-a",)),
                ExpectedLease("B", "container", "lease-B", ("GPU-b",)),
            ),
            paths=(
                ExpectedPath(7, "A", "ssh", "203.0.113.9", 33022, 33022, 22),
                ExpectedPath(8, "B", "ssh", "203.0.113.9", 33023, 33023, 22),
            ),
        )

    def card(self, index: int, **changes: Any) -> None:
        self.facts["gpus"][index] = card(index, **changes)

    def logged(self, *lines: str, at: float | None = None) -> None:
        """Kernel lines of this visit, one second apart."""
        start = self.now - len(lines) if at is None else at
        self.facts["kernel"]["lines"] = [
            {"at": start + n, "text": line} for n, line in enumerate(lines)
        ]

    def port(self, outcome: str, path: int = 7) -> None:
        self.outside[path] = OutsideCheck(path, outcome, "" if outcome != "wrong_banner" else "220")

    def expecting(self, **changes: Any) -> None:
        self.expectation = replace(self.expectation, **changes)

    def seen(self) -> Observation:
        sections = {
            name: Section(name, self.states.get(name, SectionState.OK), None, 5,
                          self.texts.get(name, ""))
            for name in self.facts
        }  # fmt: skip
        facts = {n: v for n, v in self.facts.items() if sections[n].state is SectionState.OK}
        checks = tuple(self.outside.values())
        if self.reached != "ok":
            return Observation(self.reached, self.now, outside=checks)
        return Observation(
            "ok", self.now, self.now, self.boot, 86400.0, "kit-1", sections, checks, facts
        )

    def judged(self) -> judging.Judgement:
        return judging.judge(self.seen(), self.expectation)

    def reading(self, probe: str, target: str = "node") -> Reading:
        found = [r for r in self.judged().readings if (r.probe, r.target) == (probe, target)]
        assert len(found) == 1, found
        return found[0]

    def codes(self) -> set[tuple[str, str]]:
        """(code, target) of everything that is warn or fail."""
        return {(r.code, r.target) for r in self.judged().readings if r.verdict in {"warn", "fail"}}

    def later(self, seconds: float = 60.0, **changes: Any) -> None:
        """The next visit: what this one remembered, and a quiet log."""
        memory: Mapping[str, object] = judging.remember(self.seen(), self.expectation)
        self.expecting(memory=memory)
        self.now += seconds
        self.facts["kernel"]["lines"] = []


@pytest.fixture
def node() -> Node:
    return Node()
