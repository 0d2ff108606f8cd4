"""The words of an examination: verdicts, layers, targets, readings. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

Value = str | int | float | None


class Verdict(StrEnum):
    """Ordered by `WORST`: unknown is never shown as ok, and never opens a finding."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"
    UNKNOWN = "unknown"


WORST = {Verdict.OK: 0, Verdict.UNKNOWN: 1, Verdict.WARN: 2, Verdict.FAIL: 3}


class Layer(StrEnum):
    """The eight layers of the catalogue."""

    ACCESS = "access"
    HARDWARE = "hardware"
    DRIVER = "driver"
    RUNTIME = "runtime"
    FRAMEWORK = "framework"
    APPLICATION = "application"
    NETWORK = "network"
    STORAGE = "storage"


# The order of an examination; network and storage stand beside and block nothing above them.
LADDER = (
    Layer.ACCESS,
    Layer.HARDWARE,
    Layer.DRIVER,
    Layer.RUNTIME,
    Layer.FRAMEWORK,
    Layer.APPLICATION,
)
BESIDE = (Layer.NETWORK, Layer.STORAGE)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one probe says of one target.

    `target` is `node`, `gpu:UUID`, `lease:ORDER_ID` or `path:ID`. `code` is a catalogue fault,
    set when the verdict is warn or fail. `reason` is a message key of
    `diagnostics.findings.messages` and `values` fills its places; a value's unit is its name's
    suffix (`_c` °C, `_w` W, `_mib` MiB, `_pct` %, `_s` seconds, `_x` PCIe lanes). Nothing
    translated is stored.
    """

    probe: str
    target: str
    verdict: Verdict
    reason: str
    code: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ExpectedGpu:
    """A card as the inventory knows it."""

    uuid: str
    pci_bus_id: str = ""
    model: str = "NVIDIA GeForce RTX 4090"
    power_limit_w: int | None = None
    pcie_width_x: int | None = None


@dataclass(frozen=True, slots=True)
class ExpectedLease:
    """A running lease on the node; `container` is empty for bare metal."""

    order_id: str
    kind: str
    container: str
    gpu_uuids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ExpectedPath:
    """A published port. `host`:`port` is what the customer dials; `node_port` is on the node."""

    id: int
    lease: str
    kind: str
    host: str
    port: int
    node_port: int
    container_port: int | None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the inventory says a node should be, at the start of the visit."""

    gpus: tuple[ExpectedGpu, ...] = ()
    leases: tuple[ExpectedLease, ...] = ()
    paths: tuple[ExpectedPath, ...] = ()
    # What earlier visits left behind (boot id, journal cursor, Xids); see judge.remember.
    memory: Mapping[str, object] = field(default_factory=dict)
    # When a person last announced a restart of the node (epoch seconds), if that is recent.
    restart_announced_at: float | None = None


class SectionState(StrEnum):
    """How a section of hostprobe ended; everything but OK makes its probes unknown."""

    OK = "ok"
    MISSING = "missing"  # tool or file is not there
    EMPTY = "empty"
    DENIED = "denied"
    TIMEOUT = "timeout"
    GARBAGE = "garbage"
    TRUNCATED = "truncated"
    ERROR = "error"  # ran, non-zero exit; `text` holds what it said


@dataclass(frozen=True, slots=True)
class Section:
    """One section of hostprobe's output. `status` is the exit code, None when there is none."""

    name: str
    state: SectionState
    status: int | None = None
    ms: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class OutsideCheck:
    """One outside-in look at a published port.

    `outcome`: `ok`, `refused`, `timeout`, `reset`, `no_banner`, `wrong_banner`, `error`.
    `banner` is the first line received (≤120 characters), `ms` the time to it.
    """

    path_id: int
    outcome: str
    banner: str = ""
    ms: int = 0


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything one visit saw, before judging. Built by `diagnostics.nodekit.parse`.

    `reached` is `ok`, `unreachable`, `auth_refused`, `host_key_changed`, `timeout`, `no_python`
    or `kit_refused`. `taken_at` is our clock (epoch seconds); `host_time` the node's.
    """

    reached: str
    taken_at: float
    host_time: float | None = None
    boot_id: str = ""
    uptime_s: float | None = None
    kit_version: str = ""
    sections: Mapping[str, Section] = field(default_factory=dict)
    outside: tuple[OutsideCheck, ...] = ()
    # Facts shared by many probes, parsed once: see diagnostics/nodekit/parse.py.
    facts: Mapping[str, object] = field(default_factory=dict)


Judge = Callable[[Observation, Expectation], list[Reading]]


@dataclass(frozen=True, slots=True)
class Probe:
    """A named check. `needs` names the sections it reads; `judge` is pure and never raises.

    `repeat` is how many visits in a row must fail before a finding opens (bursts and confirmed
    ports: 1), `clear` how many explicit greens close it.
    """

    name: str
    title: str
    layer: Layer
    needs: tuple[str, ...]
    judge: Judge
    repeat: int = 1
    clear: int = 1
