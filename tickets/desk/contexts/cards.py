"""The cards of a node by UUID, with what the newest examination measured on each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from diagnostics.probes.reading import WORST
from fleet.inventory.models import Gpu
from fleet.leases.models import Lease
from fleet.people import formats
from tickets import wording
from tickets.desk.contexts.spine import Stored
from tickets.wording import Sign


@dataclass(frozen=True, slots=True)
class CardRow:
    """One card. What was not measured is a dash, never 0."""

    uuid: str
    short: str
    slot: str
    bus: str
    state: str
    in_service: bool
    verdict: Sign
    temperature: str
    power: str
    utilisation: str
    memory: str
    pcie: str
    lease: str
    lease_url: str
    customer: str


def rows(
    gpus: Iterable[Gpu],
    leases: Iterable[Lease],
    readings: Sequence[Stored],
    measured: Mapping[str, Any],
) -> tuple[CardRow, ...]:
    """`measured` is UUID → what hostprobe read, names with units (diagnostics/probes/facts.py)."""
    holders = {gpu.pk: lease for lease in leases for gpu in lease.gpus.all()}
    return tuple(_row(gpu, holders.get(gpu.pk), readings, _of(measured, gpu.uuid)) for gpu in gpus)


def _of(measured: Mapping[str, Any], uuid: str) -> Mapping[str, Any]:
    found = measured.get(uuid)
    return found if isinstance(found, Mapping) else {}


def _row(
    gpu: Gpu, lease: Lease | None, readings: Sequence[Stored], measured: Mapping[str, Any]
) -> CardRow:
    mine = [each for each in readings if each["target"] == f"gpu:{gpu.uuid}"]
    worst = max(
        (each["verdict"] for each in mine), key=lambda each: WORST.get(each, 1), default="unknown"
    )
    return CardRow(
        uuid=gpu.uuid,
        short=gpu.uuid.removeprefix("GPU-").split("-", 1)[0],
        slot=gpu.slot or formats.NOTHING,
        bus=gpu.pci_bus_id,
        state=gpu.get_state_display(),
        in_service=gpu.state == "in_service",
        verdict=wording.verdict(worst),
        temperature=_number(measured, "temperature_c", "°C"),
        power=_of_limit(measured, "power_w", "limit_w", "W"),
        utilisation=_number(measured, "util_pct", "%"),
        memory=_of_limit(measured, "memory_used_mib", "memory_total_mib", "MiB"),
        pcie=_pcie(measured),
        lease=lease.order_id if lease else "",
        lease_url=reverse("lease", args=[lease.pk]) if lease else "",
        customer=lease.customer.name if lease else "",
    )


def _number(measured: Mapping[str, Any], name: str, unit: str) -> str:
    value = measured.get(name)
    return formats.number(value, unit) if isinstance(value, int | float) else formats.NOTHING


def _of_limit(measured: Mapping[str, Any], name: str, limit: str, unit: str) -> str:
    """`312 / 450 W`; the limit alone says nothing, so without a value there is only a dash."""
    value, most = measured.get(name), measured.get(limit)
    if not isinstance(value, int | float):
        return formats.NOTHING
    if not isinstance(most, int | float):
        return formats.number(value, unit)
    return f"{formats.number(value)} / {formats.number(most, unit)}"


def _pcie(measured: Mapping[str, Any]) -> str:
    """`Gen 4 x16`. Generation 1 at idle is normal."""
    gen, width = measured.get("gen"), measured.get("width_x")
    parts = [f"Gen {gen}" if gen else "", f"x{width}" if width else ""]
    return " ".join(part for part in parts if part) or formats.NOTHING
