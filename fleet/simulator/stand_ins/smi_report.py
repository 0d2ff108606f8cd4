"""`nvidia-smi -q`: the long report, whole or by `-d`. The same blocks feed the XML form."""

from collections.abc import Iterator
from time import gmtime, strftime

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.physics import LIMIT_C, Readings
from fleet.simulator.processes import processes
from fleet.simulator.stand_ins.smi_fields import REASONS, RESERVED_MIB, branch, bus_id

Block = dict[str, "str | Block"]
ERROR = "Unknown Error"
TITLES = {
    "MEMORY": "FB Memory Usage",
    "UTILIZATION": "Utilization",
    "ECC": "ECC Mode",
    "TEMPERATURE": "Temperature",
    "POWER": "GPU Power Readings",
    "CLOCK": "Clocks",
    "PERFORMANCE": "Clocks Event Reasons",
    "PIDS": "Processes",
}


def _sensor(card: CardNow, text: str) -> str:
    return ERROR if card.broken else text


def _pci(card: CardNow) -> Block:
    return {
        "Bus": f"0x{card.spec.bdf[5:7].upper()}",
        "Device": "0x00",
        "Domain": "0x0000",
        "Device Id": f"0x{card.spec.device_id.upper()}10DE",
        "Bus Id": bus_id(card),
        "Sub System Id": f"0x{card.spec.subsystem[5:]}{card.spec.subsystem[:4]}".upper(),
        "GPU Link Info": {
            "PCIe Generation": {
                "Max": "4",
                "Current": str(card.generation),
                "Device Current": str(card.generation),
                "Device Max": "4",
                "Host Max": "4",
            },
            "Link Width": {"Max": "16x", "Current": f"{card.width}x"},
        },
        "Replays Since Reset": "0",
        "Replay Number Rollovers": "0",
    }


def _reasons(card: CardNow) -> Block:
    now = card.readings
    assert now is not None

    def active(bit: int) -> str:
        return _sensor(card, "Active" if now.reasons & bit else "Not Active")

    return {
        "Idle": active(REASONS["gpu_idle"]),
        "Applications Clocks Setting": active(REASONS["applications_clocks_setting"]),
        "SW Power Cap": active(REASONS["sw_power_cap"]),
        "HW Slowdown": active(REASONS["hw_slowdown"]),
        "HW Thermal Slowdown": active(REASONS["hw_thermal_slowdown"]),
        "HW Power Brake Slowdown": active(REASONS["hw_power_brake_slowdown"]),
        "Sync Boost": active(REASONS["sync_boost"]),
        "SW Thermal Slowdown": active(REASONS["sw_thermal_slowdown"]),
        "Display Clock Setting": "Not Active",
    }


def _heat(card: CardNow) -> Block:
    now = card.readings
    assert now is not None
    return {
        "GPU Current Temp": _sensor(card, f"{now.temperature_c} C"),
        "GPU T.Limit Temp": _sensor(card, f"{LIMIT_C - now.temperature_c} C"),
        "GPU Shutdown T.Limit Temp": "-7 C",
        "GPU Slowdown T.Limit Temp": "-2 C",
        "GPU Max Operating T.Limit Temp": "0 C",
        "GPU Target Temperature": "84 C",
        "Memory Current Temp": "N/A",
        "Memory Max Operating T.Limit Temp": "N/A",
    }


def _power(host: SimHost, card: CardNow) -> Block:
    now, spec = card.readings, card.spec
    assert now is not None
    draw: Block = {"Power Draw": _sensor(card, f"{now.power_w:.2f} W")}
    if branch(host) >= 570:
        draw = {
            "Average Power Draw": _sensor(card, f"{now.power_w:.2f} W"),
            "Instantaneous Power Draw": _sensor(card, f"{now.power_w * 0.998:.2f} W"),
        }
    return {
        **draw,
        "Current Power Limit": f"{spec.limit_w:.2f} W",
        "Requested Power Limit": f"{spec.limit_w:.2f} W",
        "Default Power Limit": f"{spec.limit_default_w:.2f} W",
        "Min Power Limit": f"{spec.limit_min_w:.2f} W",
        "Max Power Limit": f"{spec.limit_max_w:.2f} W",
    }


def _processes(host: SimHost, card: CardNow) -> "str | Block":
    found: Block = {}
    for process in processes(host):
        if card.spec.uuid in process.cards:
            found[f"Process ID {process.pid}"] = {
                "Type": "C",
                "Name": process.command.split()[0],
                "Used GPU Memory": f"{process.memory_mib} MiB",
            }
    return found or "None"


def _identity(host: SimHost, card: CardNow) -> Block:
    spec = card.spec
    found: Block = {
        "Product Name": spec.model,
        "Product Brand": "GeForce",
        "Product Architecture": "Ada Lovelace",
        "Display Mode": "Disabled",
        "Display Active": "Disabled",
        "Persistence Mode": "Enabled",
        "MIG Mode": {"Current": "N/A", "Pending": "N/A"},
        "Serial Number": "N/A",
        "GPU UUID": spec.uuid,
        "Minor Number": str(card.index),
        "VBIOS Version": spec.vbios,
        "MultiGPU Board": "No",
        "Board ID": f"0x{spec.bdf[5:7]}00",
        "Inforom Version": {"Image Version": "G002.0000.00.03", "OEM Object": "2.0"},
        "GPU Operation Mode": {"Current": "N/A", "Pending": "N/A"},
    }
    if branch(host) >= 570:
        found["GPU Recovery Action"] = "Reset" if card.broken else "None"
    return found


def _memory(card: CardNow) -> Block:
    total = card.spec.memory_mib
    return {
        "FB Memory Usage": {
            "Total": f"{total} MiB",
            "Reserved": f"{RESERVED_MIB} MiB",
            "Used": f"{card.used_mib} MiB",
            "Free": f"{total - RESERVED_MIB - card.used_mib} MiB",
        },
        "BAR1 Memory Usage": {"Total": "32768 MiB", "Used": "2 MiB", "Free": "32766 MiB"},
        "Compute Mode": "Default",
    }


def _clocks(card: CardNow, now: Readings) -> Block:
    return {
        "Clocks": {
            "Graphics": _sensor(card, f"{now.sm_mhz} MHz"),
            "SM": _sensor(card, f"{now.sm_mhz} MHz"),
            "Memory": _sensor(card, f"{now.memory_mhz} MHz"),
            "Video": _sensor(card, f"{max(1185, now.sm_mhz * 3 // 4)} MHz"),
        },
        "Max Clocks": {
            "Graphics": "3105 MHz",
            "SM": "3105 MHz",
            "Memory": "10501 MHz",
            "Video": "2415 MHz",
        },
    }


def blocks(host: SimHost, card: CardNow) -> Block:
    """Everything `-q` says of a card, in its order."""
    now = card.readings
    assert now is not None
    return {
        **_identity(host, card),
        "PCI": _pci(card),
        "Fan Speed": _sensor(card, f"{now.fan_pct} %"),
        "Performance State": _sensor(card, now.pstate),
        "Clocks Event Reasons": _reasons(card),
        **_memory(card),
        "Utilization": {
            "GPU": _sensor(card, f"{now.load_pct} %"),
            "Memory": _sensor(card, f"{now.memory_load_pct} %"),
            "Encoder": "0 %",
            "Decoder": "0 %",
        },
        "ECC Mode": {"Current": "Disabled", "Pending": "Disabled"},
        "Remapped Rows": {
            "Correctable Error": "0",
            "Uncorrectable Error": "0",
            "Pending": "No",
            "Remapping Failure Occurred": "No",
        },
        "Temperature": _heat(card),
        "GPU Power Readings": _power(host, card),
        **_clocks(card, now),
        "Processes": _processes(host, card),
    }


def _lines(block: Block, depth: int) -> Iterator[str]:
    pad = " " * (4 * depth)
    for name, value in block.items():
        if isinstance(value, dict):
            yield f"{pad}{name}"
            yield from _lines(value, depth + 1)
        else:
            yield f"{f'{pad}{name}':<50}: {value}"


def report(host: SimHost, cards: list[CardNow], part: str | None) -> str:
    """The text of `-q`, or of `-q -d PART,PART`."""
    wanted = {TITLES.get(word.strip().upper(), "") for word in part.split(",")} if part else None
    lines = [
        "",
        "==============NVSMI LOG==============",
        "",
        f"{'Timestamp':<50}: {strftime('%a %b %e %H:%M:%S %Y', gmtime(host.now()))}",
        f"{'Driver Version':<50}: {host.spec.driver}",
        f"{'CUDA Version':<50}: {host.spec.cuda}",
        "",
        f"{'Attached GPUs':<50}: {len(host.spec.cards)}",
    ]
    for card in cards:
        lines.append(f"GPU {bus_id(card)}")
        block = blocks(host, card)
        lines += _lines({k: v for k, v in block.items() if wanted is None or k in wanted}, 1)
        lines.append("")
    return "\n".join(lines) + "\n"
