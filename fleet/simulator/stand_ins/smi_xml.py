"""`nvidia-smi -q -x`: the report as XML, shaped by the driver's branch."""

from collections.abc import Iterator
from time import gmtime, strftime
from xml.sax.saxutils import escape

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.physics import LIMIT_C, Readings
from fleet.simulator.processes import processes
from fleet.simulator.stand_ins.smi_fields import REASONS, RESERVED_MIB, branch, bus_id

Tag = tuple[str, "str | list[Tag]"]


def _pci(card: CardNow) -> list[Tag]:
    generation = str(card.generation)
    return [
        ("pci_bus", card.spec.bdf[5:7].upper()),
        ("pci_device", "00"),
        ("pci_domain", "0000"),
        ("pci_device_id", f"{card.spec.device_id.upper()}10DE"),
        ("pci_bus_id", bus_id(card)),
        ("pci_sub_system_id", f"{card.spec.subsystem[5:]}{card.spec.subsystem[:4]}".upper()),
        (
            "pci_gpu_link_info",
            [
                (
                    "pcie_gen",
                    [
                        ("max_link_gen", "4"),
                        ("current_link_gen", generation),
                        ("device_current_link_gen", generation),
                        ("max_device_link_gen", "4"),
                        ("max_host_link_gen", "4"),
                    ],
                ),
                (
                    "link_widths",
                    [("max_link_width", "16x"), ("current_link_width", f"{card.width}x")],
                ),
            ],
        ),
        ("replay_counter", "0"),
        ("replay_rollover_counter", "0"),
    ]


def _power(host: SimHost, card: CardNow, draw: str) -> list[Tag]:
    spec = card.spec
    draws: list[Tag] = [("power_draw", draw)]
    if branch(host) >= 570:
        draws = [("average_power_draw", draw), ("instant_power_draw", draw)]
    return [
        ("power_state", card.readings.pstate if card.readings else "N/A"),
        *draws,
        ("current_power_limit", f"{spec.limit_w:.2f} W"),
        ("requested_power_limit", f"{spec.limit_w:.2f} W"),
        ("default_power_limit", f"{spec.limit_default_w:.2f} W"),
        ("min_power_limit", f"{spec.limit_min_w:.2f} W"),
        ("max_power_limit", f"{spec.limit_max_w:.2f} W"),
    ]


def _ok(card: CardNow, text: str) -> str:
    return "Unknown Error" if card.broken else text


def _memory(card: CardNow) -> list[Tag]:
    total = card.spec.memory_mib
    return [
        (
            "fb_memory_usage",
            [
                ("total", f"{total} MiB"),
                ("reserved", f"{RESERVED_MIB} MiB"),
                ("used", f"{card.used_mib} MiB"),
                ("free", f"{total - RESERVED_MIB - card.used_mib} MiB"),
            ],
        ),
        ("bar1_memory_usage", [("total", "32768 MiB"), ("used", "2 MiB"), ("free", "32766 MiB")]),
        ("compute_mode", "Default"),
    ]


def _heat(card: CardNow, now: Readings) -> list[Tag]:
    return [
        ("gpu_temp", _ok(card, f"{now.temperature_c} C")),
        ("gpu_temp_tlimit", _ok(card, f"{LIMIT_C - now.temperature_c} C")),
        ("gpu_temp_max_tlimit_threshold", "-7 C"),
        ("gpu_temp_slow_tlimit_threshold", "-2 C"),
        ("gpu_temp_max_gpu_tlimit_threshold", "0 C"),
        ("gpu_target_temperature", "84 C"),
        ("memory_temp", "N/A"),
        ("gpu_temp_max_mem_tlimit_threshold", "N/A"),
    ]


def _clocks(card: CardNow, now: Readings) -> list[Tag]:
    return [
        (
            "clocks",
            [
                ("graphics_clock", _ok(card, f"{now.sm_mhz} MHz")),
                ("sm_clock", _ok(card, f"{now.sm_mhz} MHz")),
                ("mem_clock", _ok(card, f"{now.memory_mhz} MHz")),
            ],
        ),
        (
            "max_clocks",
            [
                ("graphics_clock", "3105 MHz"),
                ("sm_clock", "3105 MHz"),
                ("mem_clock", "10501 MHz"),
            ],
        ),
    ]


def _sensors(host: SimHost, card: CardNow) -> list[Tag]:
    now = card.readings
    assert now is not None
    reasons: list[Tag] = [
        (
            f"clocks_event_reason_{name}",
            _ok(card, "Active" if now.reasons & bit else "Not Active"),
        )
        for name, bit in REASONS.items()
    ]
    load: list[Tag] = [
        ("gpu_util", _ok(card, f"{now.load_pct} %")),
        ("memory_util", _ok(card, f"{now.memory_load_pct} %")),
        ("encoder_util", "0 %"),
        ("decoder_util", "0 %"),
    ]
    return [
        ("fan_speed", _ok(card, f"{now.fan_pct} %")),
        ("performance_state", _ok(card, now.pstate)),
        ("clocks_event_reasons", reasons),
        *_memory(card),
        ("utilization", load),
        ("ecc_mode", [("current_ecc", "Disabled"), ("pending_ecc", "Disabled")]),
        ("temperature", _heat(card, now)),
        ("gpu_power_readings", _power(host, card, _ok(card, f"{now.power_w:.2f} W"))),
        *_clocks(card, now),
    ]


def _gpu(host: SimHost, card: CardNow) -> list[Tag]:
    running: list[Tag] = [
        (
            "process_info",
            [
                ("pid", str(process.pid)),
                ("type", "C"),
                ("process_name", process.command.split()[0]),
                ("used_memory", f"{process.memory_mib} MiB"),
            ],
        )
        for process in processes(host)
        if card.spec.uuid in process.cards
    ]
    recovery: list[Tag] = []
    if branch(host) >= 570:
        recovery = [("gpu_recovery_action", "Reset" if card.broken else "None")]
    return [
        ("product_name", card.spec.model),
        ("product_brand", "GeForce"),
        ("product_architecture", "Ada Lovelace"),
        ("persistence_mode", "Enabled"),
        ("serial", "N/A"),
        ("uuid", card.spec.uuid),
        ("minor_number", str(card.index)),
        ("vbios_version", card.spec.vbios),
        *recovery,
        ("pci", _pci(card)),
        *_sensors(host, card),
        ("processes", running),
    ]


def _lines(tags: list[Tag], depth: int) -> Iterator[str]:
    pad = "\t" * depth
    for name, value in tags:
        if isinstance(value, str):
            yield f"{pad}<{name}>{escape(value)}</{name}>"
        else:
            yield f"{pad}<{name}>"
            yield from _lines(value, depth + 1)
            yield f"{pad}</{name}>"


def xml(host: SimHost, cards: list[CardNow]) -> str:
    """The whole document with its DOCTYPE, as every real one has."""
    lines = [
        '<?xml version="1.0" ?>',
        '<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">',
        "<nvidia_smi_log>",
        f"\t<timestamp>{strftime('%a %b %e %H:%M:%S %Y', gmtime(host.now()))}</timestamp>",
        f"\t<driver_version>{host.spec.driver}</driver_version>",
        f"\t<cuda_version>{host.spec.cuda}</cuda_version>",
        f"\t<attached_gpus>{len(host.spec.cards)}</attached_gpus>",
    ]
    for card in cards:
        lines.append(f'\t<gpu id="{bus_id(card)}">')
        lines += _lines(_gpu(host, card), 2)
        lines.append("\t</gpu>")
    return "\n".join([*lines, "</nvidia_smi_log>", ""])
