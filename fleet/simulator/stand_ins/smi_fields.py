"""The fields of `nvidia-smi --query-gpu`: name, unit, first driver branch, value on a 4090."""

from collections.abc import Callable
from dataclasses import dataclass
from time import gmtime, strftime

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.physics import LIMIT_C, Readings

RESERVED_MIB = 347
UNKNOWN_ERROR = "[Unknown Error]"
NOT_AVAILABLE = "[N/A]"
REASONS = {
    "gpu_idle": 0x1,
    "applications_clocks_setting": 0x2,
    "sw_power_cap": 0x4,
    "hw_slowdown": 0x8,
    "sync_boost": 0x10,
    "sw_thermal_slowdown": 0x20,
    "hw_thermal_slowdown": 0x40,
    "hw_power_brake_slowdown": 0x80,
}


def bus_id(card: CardNow) -> str:
    """The PCI address as NVIDIA's tools print it."""
    return f"0000{card.spec.bdf}".upper()


def branch(host: SimHost) -> int:
    """The driver's branch: 570 of 570.133.20."""
    return int(host.spec.driver.split(".", 1)[0])


@dataclass(frozen=True, slots=True)
class Field:
    """A field. `value` needs working sensors where `sensor` is true."""

    unit: str
    value: Callable[[SimHost, CardNow], str]
    sensor: bool = False
    since: int = 0


def _readings(card: CardNow) -> Readings:
    if card.readings is None:
        raise LookupError("a lost card has no readings")
    return card.readings


def _fixed(text: str) -> Field:
    return Field("", lambda _host, _card: text)


def _sensor(unit: str, value: Callable[[CardNow, Readings], object]) -> Field:
    return Field(unit, lambda _host, card: str(value(card, _readings(card))), sensor=True)


def _spec(unit: str, value: Callable[[CardNow], object]) -> Field:
    return Field(unit, lambda _host, card: str(value(card)))


def _reason(bit: int, since: int = 0) -> Field:
    return Field(
        "",
        lambda _host, card: "Active" if _readings(card).reasons & bit else "Not Active",
        sensor=True,
        since=since,
    )


def _recovery(_host: SimHost, card: CardNow) -> str:
    return "Reset" if card.broken else "None"


FIELDS: dict[str, Field] = {
    "timestamp": Field("", lambda host, _card: stamp(host)),
    "driver_version": Field("", lambda host, _card: host.spec.driver),
    "count": Field("", lambda host, _card: str(len(host.spec.cards))),
    "name": _spec("", lambda card: card.spec.model),
    "serial": _fixed(NOT_AVAILABLE),
    "uuid": _spec("", lambda card: card.spec.uuid),
    "index": _spec("", lambda card: card.index),
    "minor_number": _spec("", lambda card: card.index),
    "pci.bus_id": _spec("", bus_id),
    "pci.domain": _fixed("0x0000"),
    "pci.bus": _spec("", lambda card: f"0x{card.spec.bdf[5:7].upper()}"),
    "pci.device": _fixed("0x00"),
    "pci.device_id": _spec("", lambda card: f"0x{card.spec.device_id.upper()}10DE"),
    "pci.sub_device_id": _spec(
        "", lambda card: f"0x{card.spec.subsystem[5:]}{card.spec.subsystem[:4]}".upper()
    ),
    "pcie.link.gen.current": _spec("", lambda card: card.generation),
    "pcie.link.gen.gpucurrent": _spec("", lambda card: card.generation),
    "pcie.link.gen.max": _fixed("4"),
    "pcie.link.gen.gpumax": _fixed("4"),
    "pcie.link.gen.hostmax": _fixed("4"),
    "pcie.link.width.current": _spec("", lambda card: card.width),
    "pcie.link.width.max": _fixed("16"),
    "display_mode": _fixed("Disabled"),
    "display_active": _fixed("Disabled"),
    "persistence_mode": _fixed("Enabled"),
    "accounting.mode": _fixed("Disabled"),
    "vbios_version": _spec("", lambda card: card.spec.vbios),
    "inforom.img": _fixed("G002.0000.00.03"),
    "fan.speed": _sensor("%", lambda _card, now: now.fan_pct),
    "pstate": _sensor("", lambda _card, now: now.pstate),
    "memory.total": _spec("MiB", lambda card: card.spec.memory_mib),
    "memory.reserved": _spec("MiB", lambda _card: RESERVED_MIB),
    "memory.used": _spec("MiB", lambda card: card.used_mib),
    "memory.free": _spec("MiB", lambda c: c.spec.memory_mib - RESERVED_MIB - c.used_mib),
    "compute_mode": _fixed("Default"),
    "compute_cap": _fixed("8.9"),
    "utilization.gpu": _sensor("%", lambda _card, now: now.load_pct),
    "utilization.memory": _sensor("%", lambda _card, now: now.memory_load_pct),
    "utilization.encoder": _spec("%", lambda _card: 0),
    "utilization.decoder": _spec("%", lambda _card: 0),
    "ecc.mode.current": _fixed("Disabled"),
    "ecc.mode.pending": _fixed("Disabled"),
    "ecc.errors.corrected.volatile.total": _fixed(NOT_AVAILABLE),
    "ecc.errors.uncorrected.volatile.total": _fixed(NOT_AVAILABLE),
    "ecc.errors.corrected.aggregate.total": _fixed(NOT_AVAILABLE),
    "ecc.errors.uncorrected.aggregate.total": _fixed(NOT_AVAILABLE),
    "retired_pages.pending": _fixed(NOT_AVAILABLE),
    "mig.mode.current": _fixed(NOT_AVAILABLE),
    "temperature.gpu": _sensor("", lambda _card, now: now.temperature_c),
    "temperature.memory": _fixed("N/A"),
    "power.management": _fixed("Enabled"),
    "power.draw": _sensor("W", lambda _card, now: f"{now.power_w:.2f}"),
    "power.draw.average": _sensor("W", lambda _card, now: f"{now.power_w:.2f}"),
    "power.draw.instant": _sensor("W", lambda _card, now: f"{now.power_w * 0.998:.2f}"),
    "power.limit": _spec("W", lambda card: f"{card.spec.limit_w:.2f}"),
    "enforced.power.limit": _spec("W", lambda card: f"{card.spec.limit_w:.2f}"),
    "power.default_limit": _spec("W", lambda card: f"{card.spec.limit_default_w:.2f}"),
    "power.min_limit": _spec("W", lambda card: f"{card.spec.limit_min_w:.2f}"),
    "power.max_limit": _spec("W", lambda card: f"{card.spec.limit_max_w:.2f}"),
    "clocks.gr": _sensor("MHz", lambda _card, now: now.sm_mhz),
    "clocks.sm": _sensor("MHz", lambda _card, now: now.sm_mhz),
    "clocks.mem": _sensor("MHz", lambda _card, now: now.memory_mhz),
    "clocks.video": _sensor("MHz", lambda _card, now: max(1185, now.sm_mhz * 3 // 4)),
    "clocks.max.gr": _spec("MHz", lambda _card: 3105),
    "clocks.max.sm": _spec("MHz", lambda _card: 3105),
    "clocks.max.mem": _spec("MHz", lambda _card: 10501),
    "clocks.applications.gr": _fixed(NOT_AVAILABLE),
    "clocks.applications.mem": _fixed(NOT_AVAILABLE),
    "temperature.gpu.tlimit": Field(
        "", lambda _host, card: str(LIMIT_C - _readings(card).temperature_c), sensor=True, since=550
    ),
    "gpu_recovery_action": Field("", _recovery, since=570),
    "remapped_rows.correctable": _fixed("0"),
    "remapped_rows.uncorrectable": _fixed("0"),
    "remapped_rows.pending": _fixed("No"),
    "remapped_rows.failure": _fixed("No"),
}
# The old names stayed as aliases of the new ones.
for _family, _since in (("clocks_event_reasons", 535), ("clocks_throttle_reasons", 0)):
    FIELDS[f"{_family}.supported"] = _fixed("0x00000000000001FF")
    FIELDS[f"{_family}.active"] = Field(
        "", lambda _host, card: f"0x{_readings(card).reasons:016X}", sensor=True, since=_since
    )
    for _reason_name, _bit in REASONS.items():
        FIELDS[f"{_family}.{_reason_name}"] = _reason(_bit, _since)
ALIASES = {
    "gpu_name": "name",
    "gpu_uuid": "uuid",
    "gpu_bus_id": "pci.bus_id",
    "gpu_serial": "serial",
    "clocks.current.sm": "clocks.sm",
    "clocks.current.memory": "clocks.mem",
    "clocks.current.graphics": "clocks.gr",
    "clocks.graphics": "clocks.gr",
    "clocks.memory": "clocks.mem",
    "clocks.max.memory": "clocks.max.mem",
    "clocks.max.graphics": "clocks.max.gr",
}


def stamp(host: SimHost) -> str:
    """The time as CSV prints it."""
    now = host.now()
    return f"{strftime('%Y/%m/%d %H:%M:%S', gmtime(now))}.{int(now * 1000) % 1000:03d}"


def read(host: SimHost, card: CardNow, field: Field) -> str:
    """The raw value; a card whose firmware died answers nothing that needs a sensor."""
    return UNKNOWN_ERROR if field.sensor and card.broken else field.value(host, card)
