"""The kernel log of a simulated host: what it says while booting, and what it said since."""

from dataclasses import dataclass
from functools import lru_cache

from fleet.simulator.state import Boot
from fleet.simulator.world import HostSpec

ERROR, WARNING, NOTICE, INFO = 3, 4, 5, 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One journal entry. `monotonic_s` counts from the boot, `at` is epoch seconds."""

    seq: int
    at: float
    monotonic_s: float
    priority: int
    text: str


def _driver_lines(spec: HostSpec) -> list[tuple[float, int, str]]:
    lines = [
        (11.204, WARNING, "nvidia: loading out-of-tree module taints kernel."),
        (11.341, INFO, "nvidia-nvlink: Nvlink Core is being initialized, major device number 234"),
    ]
    for number, card in enumerate(spec.cards):
        decodes = f"nvidia {card.bdf}: vgaarb: VGA decodes changed: olddecodes=io+mem,decodes=none"
        lines.append((11.35 + number * 0.048, INFO, decodes))
    banner = (
        f"NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  {spec.driver}  "
        "Release Build  (dvs-builder@U22-I3-AE18-23-3)"
    )
    modeset = "nvidia-modeset: Loading NVIDIA UNIX Open Kernel Mode Setting Driver for x86_64"
    lines += [
        (11.912, WARNING, banner),
        (
            11.987,
            INFO,
            f"{modeset}  {spec.driver}",
        ),
        (12.402, INFO, "[drm] [nvidia-drm] [GPU ID 0x00000100] Loading driver"),
        (14.873, INFO, "nvidia-uvm: Loaded the UVM driver, major device number 510."),
    ]
    return lines


@lru_cache(maxsize=512)
def booting(spec: HostSpec) -> tuple[tuple[float, int, str], ...]:
    """What the kernel writes on every boot: (seconds since boot, priority, text), in order."""
    lines = [
        (
            0.0,
            NOTICE,
            f"Linux version {spec.kernel} (buildd@lcy02-amd64-078) #61-Ubuntu SMP PREEMPT_DYNAMIC",
        ),
        (
            0.0,
            INFO,
            f"Command line: BOOT_IMAGE=/vmlinuz-{spec.kernel} root=/dev/nvme0n1p2 ro iommu=off",
        ),
        (0.004, INFO, "DMI: ASUSTeK COMPUTER INC. ESC8000A-E11/Z13PP-D32, BIOS 1301 06/12/2024"),
        (
            0.112,
            INFO,
            f"Memory: {spec.ram_gib * 1048576 - 3187020}K/{spec.ram_gib * 1048576}K available",
        ),
        (0.241, INFO, f"smpboot: CPU0: {spec.cpu} (family: 0x19, model: 0x1, stepping: 0x1)"),
        (0.618, INFO, f"smp: Brought up 1 node, {spec.cores} CPUs"),
    ]
    for number, card in enumerate(spec.cards):
        kind = (
            f"pci {card.bdf}: [10de:{card.device_id}] type 00 class 0x030000 PCIe Legacy Endpoint"
        )
        lines.append((1.402 + number * 0.013, INFO, kind))
    lines += [
        (2.914, INFO, "nvme nvme0: 32/0/0 default/read/poll queues"),
        (
            4.377,
            INFO,
            "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode. Quota mode: none.",
        ),
        *_driver_lines(spec),
        (16.551, INFO, "ixgbe 0000:c3:00.0 enp195s0f0: NIC Link is Up 10 Gbps, Flow Control: None"),
        (17.108, INFO, "docker0: port 1(veth0a1c9e2) entered blocking state"),
        (17.119, INFO, "docker0: port 1(veth0a1c9e2) entered forwarding state"),
    ]
    return tuple(lines)


def entries(spec: HostSpec, boot: Boot, now: float) -> list[Entry]:
    """The journal of one boot up to `now`, oldest first."""
    lines = [(boot.at + offset, priority, text) for offset, priority, text in booting(spec)]
    lines += [(line.at, line.priority, line.text) for line in boot.log]
    lines.sort(key=lambda line: line[0])
    return [
        Entry(boot.first_seq + number, at, at - boot.at, priority, text)
        for number, (at, priority, text) in enumerate(lines)
        if at <= now
    ]
