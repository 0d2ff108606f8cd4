"""The list of faults. `find` also knows every `xid:NUMBER` that is not in the list."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

# Any later number is none NVIDIA has given out.
HIGHEST_XID = 999


class NotAFault(LookupError):
    """No fault has that name. `near` are names that look like it."""

    def __init__(self, name: str, near: list[str]) -> None:
        super().__init__(name)
        self.name = name
        self.near = near


@dataclass(frozen=True, slots=True)
class FaultKind:
    """A fault that can be injected.

    `code` is the catalogue fault an examination should name. `needs_restart`: only a restart of
    the host cures it. `needs_path`: it strikes one published port.
    """

    name: str
    title: "str | Promise"
    code: str
    needs_gpu: bool = False
    needs_path: bool = False
    needs_restart: bool = False


def _xid(number: int, code: str) -> FaultKind:
    title = format_lazy(_("Driver error Xid {number}"), number=number)
    return FaultKind(f"xid:{number}", title, code, needs_gpu=True, needs_restart=True)


def _index(kinds: Iterable[FaultKind]) -> dict[str, FaultKind]:
    return {kind.name: kind for kind in kinds}


FAULTS: dict[str, FaultKind] = _index(
    [
        FaultKind(
            "gpu_off_bus",
            _("Card falls off the bus"),
            "gpu_fallen_off_bus",
            needs_gpu=True,
            needs_restart=True,
        ),
        _xid(13, "gpu_program_exception"),
        _xid(31, "illegal_memory_access"),
        _xid(62, "gpu_microcontroller_halt"),
        _xid(119, "gsp_rpc_timeout"),
        FaultKind("driver_hung", _("Driver hangs"), "driver_hung", needs_restart=True),
        FaultKind(
            "driver_mismatch",
            _("Driver and library versions differ"),
            "driver_library_mismatch",
            needs_restart=True,
        ),
        FaultKind("overheating", _("Card overheats"), "thermal_throttling", needs_gpu=True),
        FaultKind(
            "power_brake",
            _("Power brake slows the card"),
            "hw_power_brake_slowdown",
            needs_gpu=True,
        ),
        FaultKind(
            "pcie_x4", _("PCIe link has only 4 lanes"), "pcie_width_degraded", needs_gpu=True
        ),
        FaultKind(
            "port_sshd_down",
            _("SSH service in the container stops"),
            "container_sshd_down",
            needs_path=True,
        ),
        FaultKind(
            "port_mapping_gone", _("Port mapping disappears"), "port_unreachable", needs_path=True
        ),
        FaultKind(
            "port_taken", _("Another program takes the port"), "port_unreachable", needs_path=True
        ),
        FaultKind(
            "port_firewall", _("Firewall drops the port"), "firewall_blocked", needs_path=True
        ),
        FaultKind("container_stopped", _("Container stops"), "container_stopped", needs_path=True),
        FaultKind("disk_full", _("Disk fills up"), "disk_full"),
        FaultKind("node_unreachable", _("Node stops answering"), "node_unreachable"),
        FaultKind("reboot", _("Node restarts by itself"), "unplanned_reboot"),
    ]
)


def find(name: str) -> FaultKind:
    """The fault called `name`, also `xid:NUMBER` for any number. Raises NotAFault."""
    kind = FAULTS.get(name)
    if kind is not None:
        return kind
    match = re.fullmatch(r"xid:([1-9]\d{0,2})", name)
    if match and int(match[1]) <= HIGHEST_XID:
        return _xid(int(match[1]), "xid_unknown")
    raise NotAFault(name, get_close_matches(name, FAULTS, n=3, cutoff=0.4))
