"""One simulated host: its spec and state, and every question the stand-ins ask of them."""

import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from fleet.simulator import kernel_log, physics
from fleet.simulator.state import Boot, HostState, Injected
from fleet.simulator.world import CardSpec, ContainerSpec, HostSpec, PortSpec

# Docker brings containers back this long after a boot.
CONTAINERS_AFTER_BOOT_S = 18.0
# Errors of a program: its process dies, the card stays well.
PROGRAM_XIDS = frozenset({"xid:13", "xid:31", "xid:43", "xid:69"})
# Errors after which the driver cannot read the card any more.
BREAKING_XIDS = frozenset({"xid:46", "xid:61", "xid:62", "xid:119", "xid:120"})
OFF_BUS = frozenset({"gpu_off_bus", "xid:79"})


@dataclass(frozen=True, slots=True)
class CardNow:
    """A card at one instant. `readings` is None when it left the bus."""

    index: int
    spec: CardSpec
    readings: physics.Readings | None
    broken: bool
    used_mib: int
    width: int
    container: ContainerSpec | None

    @property
    def lost(self) -> bool:
        return self.readings is None

    @property
    def generation(self) -> int:
        """PCIe generation: a card at rest drops to 1, under load it is back at 4."""
        return 4 if self.readings is not None and self.readings.busy else 1


class SimHost:
    """Answers from spec and state; changes nothing. `clock` gives epoch seconds."""

    def __init__(
        self, spec: HostSpec, state: HostState, clock: Callable[[], float] = time.time
    ) -> None:
        self.spec = spec
        self.state = state
        self.clock = clock

    def now(self) -> float:
        return self.clock()

    def faults(self, *names: str) -> list[Injected]:
        """The faults of these names that are there now."""
        return [fault for fault in self.state.faults if fault.name in names]

    def has(self, name: str) -> bool:
        return bool(self.faults(name))

    @property
    def uptime(self) -> float:
        return max(0.0, self.now() - self.state.boot.at)

    @property
    def answering(self) -> bool:
        """Whether any packet to this host is answered."""
        return not self.has("node_unreachable") and self.now() >= self.state.down_until

    # -- containers ---------------------------------------------------------------------------

    def stopped(self, container: ContainerSpec) -> Injected | None:
        """The fault that stopped the container, if one did."""
        ports = {port.port for port in container.ports}
        return next((f for f in self.faults("container_stopped") if f.port in ports), None)

    def started_at(self, container: ContainerSpec) -> float:
        boot = self.state.boot.at + CONTAINERS_AFTER_BOOT_S
        return self.state.started.get(container.name, boot)

    def running(self, container: ContainerSpec) -> bool:
        return self.stopped(container) is None and self.now() >= self.started_at(container)

    def sshd_down(self, container: ContainerSpec) -> bool:
        ports = {port.port for port in container.ports}
        return any(fault.port in ports for fault in self.faults("port_sshd_down"))

    def job_dead(self, container: ContainerSpec) -> bool:
        """Whether a card's fault ended the container's program."""
        fatal = PROGRAM_XIDS | BREAKING_XIDS | OFF_BUS
        return any(f.name in fatal and f.gpu in container.cards for f in self.state.faults)

    def container_of(self, card: CardSpec) -> ContainerSpec | None:
        return next((c for c in self.spec.containers if card.uuid in c.cards), None)

    def ports(self) -> list[tuple[ContainerSpec, PortSpec]]:
        return [(each, port) for each in self.spec.containers for port in each.ports]

    def port_fault(self, port: int) -> str:
        """The name of the port fault on this port, or nothing."""
        names = ("port_firewall", "port_taken", "port_mapping_gone", "port_sshd_down")
        return next((f.name for n in names for f in self.faults(n) if f.port == port), "")

    def published(self, container: ContainerSpec, port: PortSpec) -> bool:
        """Whether docker still maps the port."""
        gone = self.port_fault(port.port) in {"port_mapping_gone", "port_taken"}
        return self.running(container) and not gone

    # -- cards --------------------------------------------------------------------------------

    def _on_card(self, card: CardSpec) -> set[str]:
        return {fault.name for fault in self.state.faults if fault.gpu == card.uuid}

    def circumstances(self, card: CardSpec) -> physics.Circumstances:
        """What acts on the card now."""
        container = self.container_of(card)
        names = self._on_card(card)
        load, busy_from = 0.0, 0.0
        if container and self.stopped(container) is None and not self.job_dead(container):
            load, busy_from = container.load, self.started_at(container) + physics.WARM_UP_S
        return physics.Circumstances(
            load=load,
            busy_from=busy_from,
            air_c=self.spec.ambient_c,
            overheating="overheating" in names,
            braked="power_brake" in names,
        )

    def card(self, index: int) -> CardNow:
        """The card with this index, at this instant."""
        spec = self.spec.cards[index]
        names = self._on_card(spec)
        what, now = self.circumstances(spec), self.now()
        readings = physics.read(spec, what, self.state.marks.get(spec.uuid), now)
        container = self.container_of(spec)
        busy = readings.busy and container is not None
        return CardNow(
            index=index,
            spec=spec,
            readings=None if names & OFF_BUS else readings,
            broken=bool(names & BREAKING_XIDS),
            used_mib=container.memory_mib
            if busy and container
            else 2 + zlib.crc32(spec.bdf.encode()) % 14,
            width=4 if "pcie_x4" in names else 16,
            container=container,
        )

    def cards(self) -> list[CardNow]:
        return [self.card(index) for index in range(len(self.spec.cards))]

    # -- kernel and processes -----------------------------------------------------------------

    def kernel(self, boot: Boot | None = None) -> list[kernel_log.Entry]:
        """The journal of a boot, this one unless told."""
        return kernel_log.entries(self.spec, boot or self.state.boot, self.now())

    def pid(self, name: str) -> int:
        """A process number that stays the same during one boot."""
        return 1400 + zlib.crc32(f"{self.state.boot.id}{name}".encode()) % 600_000
