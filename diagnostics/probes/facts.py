"""The shapes of what a visit saw, shared by many probes. Plain data, ready for JSON. Pure.

`diagnostics.nodekit.parse` fills them; a value that could not be read is None, never 0.
"""

from collections.abc import Mapping
from typing import TypedDict, cast

from diagnostics.probes.reading import Observation


class Process(TypedDict):
    """A program on a card; `mib` of its memory."""

    pid: int
    mib: int | None


class Card(TypedDict):
    """One card, the same through NVML and nvidia-smi.

    `state` is ok, lost, error (its readings fail) or reset_required; `errors` names what the
    driver would not tell and how: not_supported, unknown_error, err, lost, reset_required, denied.
    """

    source: str
    state: str
    index: int | None
    uuid: str | None
    name: str | None
    pci: str | None
    minor: int | None
    vbios: str | None
    pstate: int | None
    temperature_c: int | None
    margin_c: int | None
    slowdown_c: int | None
    target_c: int | None
    fan_pct: int | None
    power_w: float | None
    limit_w: float | None
    limit_enforced_w: float | None
    limit_default_w: float | None
    limit_min_w: float | None
    limit_max_w: float | None
    sm_mhz: int | None
    mem_mhz: int | None
    util_pct: int | None
    util_mem_pct: int | None
    memory_total_mib: int | None
    memory_used_mib: int | None
    memory_free_mib: int | None
    memory_reserved_mib: int | None
    gen: int | None
    gen_max: int | None
    width_x: int | None
    width_max_x: int | None
    ecc: bool | None
    persistence: bool | None
    reasons: int | None
    remapped: list[int] | None
    action: str | None
    processes: list[Process]
    errors: dict[str, str]


class DriverAnswer(TypedDict):
    """What the driver's user side said.

    `answer`: ok, hung, not_loaded, mismatch, no_library, no_tool, no_devices, denied, lost,
    unknown_error, error. `stuck` are processes that outlived SIGKILL.
    """

    answer: str
    via: str
    driver: str
    text: str
    code: int | None
    stuck: list[int]


class KernelModule(TypedDict):
    """The driver's kernel side."""

    loaded: bool
    version: str
    nouveau: bool
    kernel: str


class PciFunction(TypedDict):
    """A display function of NVIDIA's; `dead` when every read gives ones."""

    pci: str
    device: str
    width_x: int | None
    width_max_x: int | None
    dead: bool


class KernelLine(TypedDict):
    """A kernel message worth keeping; `at` by the host's clock, epoch seconds."""

    at: float
    text: str


class KernelLog(TypedDict):
    """New kernel lines; `cursor` is where the next visit goes on."""

    source: str
    cursor: str
    lines: list[KernelLine]
    skipped: int


class Port(TypedDict):
    """A TCP port of a container, published on the host as `ip`:`host`."""

    ip: str
    host: int
    inside: int


class Container(TypedDict):
    """`ports` are published now, `bound` were asked for when it was made."""

    id: str
    name: str
    state: str
    exit_code: int | None
    oom: bool
    ports: list[Port]
    bound: list[Port]
    gpus: list[str]


class Socket(TypedDict):
    """A listening TCP socket."""

    address: str
    port: int


class FileSystem(TypedDict):
    """Bytes, or inodes; `size` 0 where the file system does not count them."""

    mount: str
    size: int
    used: int
    free: int


class Stuck(TypedDict):
    """A process in uninterruptible sleep."""

    pid: int
    wchan: str
    seconds: int
    name: str


def cards(observation: Observation) -> list[Card]:
    return cast("list[Card]", observation.facts.get("gpus", []))


def driver_answer(observation: Observation) -> DriverAnswer | None:
    return cast("DriverAnswer | None", observation.facts.get("nvidia"))


def kernel_module(observation: Observation) -> KernelModule | None:
    return cast("KernelModule | None", observation.facts.get("driver"))


def pci_functions(observation: Observation) -> list[PciFunction]:
    return cast("list[PciFunction]", observation.facts.get("pci", []))


def kernel_log(observation: Observation) -> KernelLog | None:
    return cast("KernelLog | None", observation.facts.get("kernel"))


def containers(observation: Observation) -> list[Container]:
    return cast("list[Container]", observation.facts.get("containers", []))


def sockets(observation: Observation) -> list[Socket] | None:
    return cast("list[Socket] | None", observation.facts.get("sockets"))


def file_systems(observation: Observation, kind: str) -> list[FileSystem]:
    """`kind` is `space` or `inodes`."""
    disks = cast("Mapping[str, list[FileSystem]]", observation.facts.get("disks", {}))
    return disks.get(kind, [])


def stuck_processes(observation: Observation) -> list[Stuck]:
    return cast("list[Stuck]", observation.facts.get("procs", []))
