"""A host made of stand-ins that the real kit examines: our own sh, python3, tar and time-outs."""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from diagnostics.nodekit import kit, parse
from diagnostics.probes.reading import Observation
from fleet.transport.result import Result, TimedOut

STUBS = Path(__file__).parents[2] / "stubs"


class HereTransport:
    """Runs commands on this machine as a login on the stand-in host would."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result:
        begun = time.monotonic()
        try:
            done = subprocess.run(
                list(argv),
                input=stdin,
                stdin=subprocess.DEVNULL if stdin is None else None,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=timeout,
                env=self.environment,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            raise TimedOut(partial=late.stdout or b"") from late
        return Result(tuple(argv), done.returncode, done.stdout[:cap], time.monotonic() - begun)

    def close(self) -> None:
        """Nothing is kept."""


class Host:
    """A host below a folder: `tools` come first in PATH, `root` is what hostprobe reads."""

    def __init__(self, folder: Path) -> None:
        self.root, self.tools, self.home = folder / "root", folder / "tools", folder / "home"
        for each in (self.root, self.tools, self.home):
            each.mkdir(parents=True)
        self.tool("python3", f'exec {sys.executable} "$@"')
        self.environment = {
            "PATH": f"{self.tools}:/usr/bin:/bin",
            "HOME": str(self.home),
            "HALFHOUR_ROOT": str(self.root),
        }
        self.file("proc/sys/kernel/random/boot_id", "0f6e8f58-0000-4000-8000-000000000001")
        self.file("proc/sys/kernel/osrelease", "6.8.0-60-generic")
        self.file("proc/uptime", "86400.00 1.00")
        self.file("proc/modules", "overlay 1 0 - Live 0x0")
        (self.root / "sys/bus/pci/devices").mkdir(parents=True)
        for quiet in ("docker", "ss", "ps", "df"):
            self.tool(quiet, "exit 0")
        self.says("journalctl", '{"__CURSOR":"s=1;i=9","__REALTIME_TIMESTAMP":"1","MESSAGE":"-"}')

    def file(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def tool(self, name: str, script: str) -> Path:
        path = self.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    def says(self, name: str, text: str, status: int = 0) -> None:
        (self.tools / f"{name}.txt").write_text(text + "\n", encoding="utf-8")
        self.tool(name, f"cat {self.tools}/{name}.txt; exit {status}")

    def card_on_bus(self, address: str, **files: str) -> None:
        wanted = {"vendor": "0x10de", "device": "0x2684", "class": "0x030000",
                  "current_link_width": "16", "max_link_width": "16",
                  "current_link_speed": "16.0 GT/s PCIe"} | files  # fmt: skip
        for name, text in wanted.items():
            self.file(f"sys/bus/pci/devices/{address}/{name}", text)

    def with_driver(self) -> None:
        self.file(
            "proc/driver/nvidia/version",
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build",
        )
        for minor in range(2):
            address = f"0000:{0x41 + minor:02x}:00.0"
            self.card_on_bus(address)
            self.file(f"proc/driver/nvidia/gpus/{address}/information", f"Device Minor: \t {minor}")

    def with_smi(self, **environment: str) -> None:
        self.with_driver()
        target = self.tools / "nvidia-smi"
        target.write_bytes((STUBS / "nvidia-smi").read_bytes())
        target.chmod(0o755)
        self.environment |= environment

    def with_nvml(self, library: Path, **environment: str) -> None:
        self.with_driver()
        self.environment |= {"LD_LIBRARY_PATH": str(library.parent), **environment}

    @property
    def transport(self) -> HereTransport:
        return HereTransport(self.environment)

    def visit(self, memory: Mapping[str, object] | None = None) -> Observation:
        """What an examiner does: run, send the kit when it is missing, run again."""
        argv = kit.argv(memory or {})
        result = self.transport.run(argv, timeout=30)
        if result.status == kit.KIT_MISSING:
            assert kit.install(self.transport, timeout=20)
            result = self.transport.run(argv, timeout=30)
        return parse.observe(result.output, status=result.status, taken_at=time.time())


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path / "host")


@pytest.fixture(scope="session")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The stand-in for libnvidia-ml.so.1, built from C."""
    target = tmp_path_factory.mktemp("nvml") / "libnvidia-ml.so.1"
    build = ["gcc", "-shared", "-fPIC", "-Wall", "-Werror", "-o", target, STUBS / "nvml.c"]
    subprocess.run([str(part) for part in build], check=True)
    return target


@pytest.fixture
def alive() -> Callable[[int], bool]:
    """Whether a process is there (and no zombie)."""

    def look(pid: int) -> bool:
        try:
            text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return False
        return text.rpartition(")")[2].split()[0] != "Z"

    return look
