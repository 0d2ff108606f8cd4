"""The files of a simulated host: its home, its PATH, and what stands below HALFHOUR_ROOT."""

import shutil
import sys
from pathlib import Path

from fleet.simulator.host import SimHost
from fleet.simulator.stand_ins.client import SOURCE
from fleet.simulator.stand_ins.registry import TOOLS

# A card off the bus answers every read with ones; the kernel shows that as these values.
LOST_WIDTH, LOST_SPEED = "63", "Unknown"
SPEEDS = {1: "2.5 GT/s PCIe", 4: "16.0 GT/s PCIe"}
SHEBANG_LIMIT = 120


def _script(folder: Path) -> str:
    """The stand-in's text. It starts Python without site packages: that halves its cost."""
    python = str(Path(sys._base_executable).resolve())  # type: ignore[attr-defined]
    first = f"#!{python} -ISE"
    if " " in python or len(first) > SHEBANG_LIMIT:
        # The kernel splits or cuts such a line, so a shell passes the path on.
        first = f"#!/bin/sh\n''':'\nexec '{python}' -ISE \"$0\" \"$@\"\n'''"
    return f"{first}\n{SOURCE.replace('@FOLDER@', repr(str(folder)))}"


# `sudo -n halfhour-ports` finds our wrappers on the host's own disk, as on a real one.
SUDO = """#!/bin/sh
# Stand-in for sudo: the probing account may do here what its sudoers file would allow.
while [ $# -gt 0 ]; do
  case "$1" in -u|-g) shift 2 ;; --) shift; break ;; -*) shift ;; *) break ;; esac
done
case "$1" in
  /usr/local/sbin/*) tool="$HALFHOUR_ROOT$1"; shift; exec "$tool" "$@" ;;
  *) exec "$@" ;;
esac
"""


def make_tools(folder: Path) -> None:
    """The one folder of stand-ins that all hosts share; each sees it under its own name."""
    tools = folder / "tools"
    shutil.rmtree(tools, ignore_errors=True)
    tools.mkdir(parents=True)
    client = tools / ".stand-in"
    client.write_text(_script(folder), encoding="utf-8")
    client.chmod(0o755)
    for name in TOOLS:
        (tools / name).symlink_to(".stand-in")
    (tools / "sudo").write_text(SUDO, encoding="utf-8")
    (tools / "sudo").chmod(0o755)
    # A machine that has cards of its own must not show them as the simulated host's: an empty
    # library ends the loader's search before it finds the real one.
    (tools / "lib").mkdir()
    (tools / "lib" / "libnvidia-ml.so.1").touch()
    # Whatever Python runs us is the Python of the hosts.
    (tools / "python3").symlink_to(Path(sys._base_executable).resolve())  # type: ignore[attr-defined]


class Disk:
    """The folder of one host. Files that follow the clock are written by `refresh`."""

    def __init__(self, folder: Path, host: SimHost) -> None:
        self.host = host
        self.path = folder / "hosts" / host.spec.name
        self.home = self.path / "home"
        self.root = self.path / "root"
        self._written: dict[str, str] = {}

    def environment(self) -> dict[str, str]:
        """The environment of a login on this host."""
        return {
            "PATH": f"{self.path / 'bin'}:/usr/bin:/bin",
            "HOME": str(self.home),
            "HALFHOUR_ROOT": str(self.root),
            "USER": "halfhour-probe",
            "LOGNAME": "halfhour-probe",
            "SHELL": "/bin/sh",
            "LANG": "C.UTF-8",
            "LD_LIBRARY_PATH": str(self.path / "bin" / "lib"),
        }

    def make(self) -> None:
        """Create the folders and every file."""
        self.home.mkdir(parents=True, exist_ok=True)
        (self.root / "var/lib/docker").mkdir(parents=True, exist_ok=True)
        if not (self.path / "bin").is_symlink():
            (self.path / "bin").symlink_to("../../tools")
        self.refresh()

    def refresh(self) -> None:
        """Bring the files up to this instant; only what differs is written."""
        wanted = {**self._proc(), **self._cards()}
        for name, text in wanted.items():
            if self._written.get(name) != text:
                path = self.root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
        self._written = wanted

    def _proc(self) -> dict[str, str]:
        host, spec = self.host, self.host.spec
        up = host.uptime
        jobs = sum(card.readings is not None and card.readings.busy for card in host.cards())
        total, used = spec.ram_gib * 1048576, (12 + 31 * jobs) * 1048576
        return {
            "proc/uptime": f"{up:.2f} {up * spec.cores * 0.8:.2f}\n",
            "proc/loadavg": (
                f"{jobs * 1.9 + 0.3:.2f} {jobs * 1.8 + 0.3:.2f} {jobs * 1.8 + 0.2:.2f} "
                f"{jobs + 1}/1893 {host.pid('last')}\n"
            ),
            "proc/meminfo": (
                f"MemTotal:       {total} kB\nMemFree:        {(total - used) * 7 // 10} kB\n"
                f"MemAvailable:   {total - used} kB\nBuffers:          412880 kB\n"
                f"Cached:         {total // 5} kB\nSwapTotal:             0 kB\n"
                "SwapFree:              0 kB\n"
            ),
            "proc/sys/kernel/random/boot_id": f"{host.state.boot.id}\n",
            "proc/sys/kernel/hostname": f"{spec.name}\n",
            "proc/sys/kernel/osrelease": f"{spec.kernel}\n",
            "proc/driver/nvidia/version": (
                f"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {spec.driver}  "
                "Release Build  (dvs-builder@U22-I3-AE18-23-3)\n"
                "GCC version:  gcc version 13.3.0 (Ubuntu 13.3.0-6ubuntu2~24.04)\n"
            ),
            "proc/modules": (
                "nvidia_uvm 2076672 4 - Live 0x0000000000000000 (O)\n"
                "nvidia_drm 131072 0 - Live 0x0000000000000000 (O)\n"
                "nvidia_modeset 1724416 1 nvidia_drm, Live 0x0000000000000000 (O)\n"
                f"nvidia 14376960 {48 + jobs * 6} nvidia_uvm,nvidia_modeset, Live "
                "0x0000000000000000 (O)\n"
                "overlay 212992 3 - Live 0x0000000000000000\n"
            ),
            "sys/module/nvidia/version": f"{spec.driver}\n",
            "etc/hostname": f"{spec.name}\n",
            "etc/os-release": f'PRETTY_NAME="{spec.system}"\nNAME="Ubuntu"\nID=ubuntu\n',
        }

    def _cards(self) -> dict[str, str]:
        files: dict[str, str] = {}
        for card in self.host.cards():
            spec = card.spec
            pci = f"sys/bus/pci/devices/{spec.bdf}"
            audio = f"{pci[:-1]}1"
            width, speed = str(card.width), SPEEDS[card.generation]
            if card.lost:
                width, speed = LOST_WIDTH, LOST_SPEED
            files |= {
                f"{pci}/vendor": "0x10de\n",
                f"{pci}/device": f"0x{spec.device_id}\n",
                f"{pci}/class": "0x030000\n",
                f"{pci}/subsystem_vendor": f"0x{spec.subsystem[:4]}\n",
                f"{pci}/subsystem_device": f"0x{spec.subsystem[5:]}\n",
                f"{pci}/current_link_width": f"{width}\n",
                f"{pci}/max_link_width": "16\n",
                f"{pci}/current_link_speed": f"{speed}\n",
                f"{pci}/max_link_speed": "16.0 GT/s PCIe\n",
                f"{audio}/vendor": "0x10de\n",
                f"{audio}/device": "0x22ba\n",
                f"{audio}/class": "0x040300\n",
                f"proc/driver/nvidia/gpus/{spec.bdf}/information": (
                    f"Model: \t\t {spec.model}\nIRQ:   \t\t {180 + card.index}\n"
                    f"GPU UUID: \t {spec.uuid}\nVideo BIOS: \t {spec.vbios}\n"
                    f"Bus Type: \t PCIe\nBus Location: \t {spec.bdf}\n"
                    f"Device Minor: \t {card.index}\nGPU Excluded:\t No\n"
                ),
            }
        return files
