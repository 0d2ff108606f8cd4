"""How a simulated card behaves over time: load, heat, power, clocks, fan.

Figures: published nvidia-smi reports of 4090s; the reason bits are those of nvml.h.
"""

import math
import zlib
from dataclasses import dataclass

from fleet.simulator.state import Mark
from fleet.simulator.world import CardSpec

GPU_IDLE, SW_POWER_CAP, HW_SLOWDOWN = 0x1, 0x4, 0x8
SW_THERMAL, HW_POWER_BRAKE = 0x20, 0x80
# A 4090's T.Limit counts down to 0 at about 83 °C; it holds its target temperature of 84 °C.
LIMIT_C, TARGET_C = 83, 84
IDLE_W = 24.0
SETTLE_S, OVERHEAT_SETTLE_S = 30.0, 15.0
OVERHEAT_C = 90.0
# Whoever stops using a card in the middle of a job leaves it warm; a new boot starts a job late.
WARM_UP_S = 20.0


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What acts on a card: its job's load (0 to 1) since `busy_from`, the air, and its faults."""

    load: float
    busy_from: float
    air_c: float
    overheating: bool = False
    braked: bool = False


@dataclass(frozen=True, slots=True)
class Readings:
    """What the card's sensors say at one instant."""

    load_pct: int
    memory_load_pct: int
    temperature_c: int
    power_w: float
    sm_mhz: int
    memory_mhz: int
    pstate: str
    fan_pct: int
    reasons: int
    busy: bool


def wobble(key: str, now: float, period_s: float) -> float:
    """A slow wave between -1 and 1, different for each key, the same for everyone who looks."""
    phase = zlib.crc32(key.encode()) % 1000 / 1000 * math.tau
    slow = math.sin(now / period_s * math.tau + phase)
    return 0.7 * slow + 0.3 * math.sin(now / (period_s * 0.23) * math.tau + 2 * phase)


def _load(card: CardSpec, what: Circumstances, now: float) -> float:
    if now < what.busy_from or what.load <= 0:
        return 0.0
    # Training keeps a card full; serving follows its callers.
    swing = 0.015 if what.load > 0.9 else 0.3 * what.load
    return min(1.0, max(0.02, what.load + swing * wobble(card.uuid, now, 47.0)))


def _power(card: CardSpec, what: Circumstances, load: float) -> float:
    idle = IDLE_W + zlib.crc32(card.uuid.encode()) % 9
    if not load:
        return idle
    if what.braked:
        return idle + 0.28 * card.limit_w * load
    if what.overheating:
        return idle + 0.52 * card.limit_w * load
    return min(card.limit_w * 0.996, idle + (card.limit_w - idle) * (0.35 + 0.66 * load))


def _target(card: CardSpec, what: Circumstances, load: float) -> float:
    if what.overheating:
        return OVERHEAT_C
    return what.air_c + card.warmth_c + 4 + 0.09 * _power(card, what, load)


def temperature(card: CardSpec, what: Circumstances, mark: Mark | None, now: float) -> float:
    """°C at `now`: from the mark towards what the load implies, with a time constant."""
    settle = OVERHEAT_SETTLE_S if what.overheating else SETTLE_S
    if mark is None:
        value = _target(card, what, what.load if now >= what.busy_from else 0.0)
    else:
        value, at = mark.temperature_c, mark.at
        for until in sorted({max(at, min(what.busy_from, now)), now}):
            aim = _target(card, what, what.load if until > what.busy_from else 0.0)
            value = aim + (value - aim) * math.exp(-max(0.0, until - at) / settle)
            at = max(at, until)
    return min(TARGET_C + 0.4, value)


def _reasons(card: CardSpec, what: Circumstances, load: float, heat: float, power: float) -> int:
    reasons = 0 if load else GPU_IDLE
    if what.braked:
        reasons |= HW_SLOWDOWN | HW_POWER_BRAKE
    elif what.overheating and heat >= LIMIT_C:
        reasons |= SW_THERMAL
    elif load and power > 0.97 * card.limit_w:
        reasons |= SW_POWER_CAP
    return reasons & ~GPU_IDLE if reasons & ~GPU_IDLE else reasons


def _clock(what: Circumstances, load: float, heat: float, wave: float) -> int:
    if not load:
        return 210
    if what.braked:
        return 645 + 15 * round(wave)
    if what.overheating and heat >= LIMIT_C:
        return 1350 + 15 * round(4 * wave)
    return 15 * round((2745 - 2.2 * max(0.0, heat - 45) + 25 * wave) / 15)


def _fan(what: Circumstances, heat: float) -> int:
    if what.overheating:
        return 100
    # The fans of a 4090 stand still below about 50 °C.
    return 0 if heat < 50 else min(100, round(30 + (heat - 50) * 1.7))


def read(card: CardSpec, what: Circumstances, mark: Mark | None, now: float) -> Readings:
    """All sensors of a card at `now`."""
    load = _load(card, what, now)
    heat = temperature(card, what, mark, now)
    power = _power(card, what, load) + (1.5 * wobble(card.uuid, now, 3.1) if load else 0.0)
    return Readings(
        load_pct=round(load * 100),
        memory_load_pct=round(load * 62),
        temperature_c=int(heat),
        power_w=min(power, card.limit_w + 0.9),
        sm_mhz=_clock(what, load, heat, wobble(card.uuid, now, 11.0)),
        # NVIDIA runs CUDA in P2 with a slightly lower memory clock on purpose.
        memory_mhz=10251 if load else 405,
        pstate="P2" if load else "P8",
        fan_pct=_fan(what, heat),
        reasons=_reasons(card, what, load, heat, power),
        busy=load > 0,
    )
