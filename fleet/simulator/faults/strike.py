"""Lets a fault happen on a host, and makes the host well again."""

import uuid

from fleet.simulator import physics
from fleet.simulator.faults import xid
from fleet.simulator.faults.kinds import FaultKind, find
from fleet.simulator.host import OFF_BUS, SimHost
from fleet.simulator.kernel_log import ERROR, NOTICE, WARNING, entries
from fleet.simulator.processes import HUNG_TASK_S, processes
from fleet.simulator.state import Boot, Injected, KernelLine, Mark
from fleet.simulator.world import CardSpec

# How long a host that restarts by itself stays away: a short stop-over of a real POST.
REBOOT_AWAY_S = 25.0
POST_S = 5.0


class NotThere(LookupError):
    """The host has no such card or port. `choices` are those it has."""

    def __init__(self, what: str, asked: str, choices: list[str]) -> None:
        super().__init__(f"no {what} {asked}")
        self.what = what
        self.asked = asked
        self.choices = choices


def pick_card(host: SimHost, asked: str) -> CardSpec:
    """The card by index or UUID; unless told, a leased one. Raises NotThere."""
    cards = host.spec.cards
    if not asked:
        leased = [card for card in cards if host.container_of(card)]
        return (leased or list(cards))[0]
    for index, card in enumerate(cards):
        if asked in {str(index), card.uuid}:
            return card
    raise NotThere("gpu", asked, [str(index) for index in range(len(cards))])


def pick_port(host: SimHost, asked: str) -> int:
    """The published port by number or by order; unless told, the first SSH one. Raises NotThere."""
    ports = host.ports()
    for container, port in ports:
        wanted = asked in {str(port.port), f"{host.spec.address}:{port.port}", container.order}
        if wanted or (not asked and port.kind == "ssh"):
            return port.port
    raise NotThere("path", asked, [str(port.port) for _container, port in ports])


def _remember_heat(host: SimHost) -> None:
    """Keep every card's temperature, so that it moves on from here whatever changes next."""
    now = host.now()
    for card in host.spec.cards:
        heat = physics.temperature(
            card, host.circumstances(card), host.state.marks.get(card.uuid), now
        )
        host.state.marks[card.uuid] = Mark(heat, now)


def _say(host: SimHost, *lines: str, priority: int = WARNING, after: float = 0.0) -> None:
    # One microsecond apart, the last one now: the order of lines is their order in time.
    at = host.now() + after - (len(lines) - 1) * 1e-6
    log = host.state.boot.log
    log += [KernelLine(at + n * 1e-6, priority, line) for n, line in enumerate(lines)]


def _log_xid(host: SimHost, number: int, card: CardSpec) -> None:
    pid, program = None, "python"
    for process in processes(host):
        if card.uuid in process.cards:
            pid, program = process.pid, process.name
    bdf = card.bdf.rsplit(".", 1)[0]
    lines = [f"NVRM: GPU at PCI:{bdf}: {card.uuid}", xid.line(number, card.bdf, pid, program)]
    if number == 79:
        lines += [
            f"NVRM: GPU {card.bdf}: GPU has fallen off the bus.",
            "NVRM: A GPU crash dump has been created. If possible, please run",
            "NVRM: nvidia-bug-report.sh as root to collect this data before",
            "NVRM: the NVIDIA kernel module is unloaded.",
        ]
    _say(host, *lines)


def _log(host: SimHost, kind: FaultKind, card: CardSpec | None) -> None:
    if card is not None and kind.name in OFF_BUS:
        _log_xid(host, 79, card)
    elif card is not None and kind.name.startswith("xid:"):
        _log_xid(host, int(kind.name[4:]), card)
    elif kind.name == "driver_hung":
        pid = host.pid("stuck-smi")
        text = f"INFO: task nvidia-smi:{pid} blocked for more than 120 seconds."
        _say(host, text, priority=ERROR, after=HUNG_TASK_S)
    elif kind.name == "driver_mismatch":
        _say(
            host,
            f"NVRM: API mismatch: the client has the version {host.spec.driver_new}, but",
            f"NVRM: this kernel module has the version {host.spec.driver}.  Please",
            "NVRM: make sure that this kernel module and all NVIDIA driver",
            "NVRM: components have the same version.",
            priority=ERROR,
        )
    elif kind.name == "container_stopped":
        _say(host, "docker0: port 1(veth0a1c9e2) entered disabled state", priority=NOTICE)


def restart(host: SimHost, *, away_s: float = 0.0) -> None:
    """Boot anew: another boot id, uptime from zero, containers back after their time."""
    _remember_heat(host)
    state, now = host.state, host.now()
    written = entries(host.spec, state.boot, now)
    state.before = state.boot
    first = written[-1].seq + 1 if written else state.boot.first_seq
    state.before.log = [line for line in state.before.log if line.at <= now]
    state.boot = Boot(id=str(uuid.uuid4()), at=now + POST_S, first_seq=first)
    state.started.clear()
    state.down_until = now + away_s
    if not away_s:
        _wake(host)


def inject(host: SimHost, name: str, *, gpu: str = "", path: str = "") -> Injected:
    """Let the fault happen now. Raises NotAFault or NotThere.

    The same fault twice on one thing changes nothing, but an Xid is written again.
    """
    kind = find(name)
    card = pick_card(host, gpu) if kind.needs_gpu else None
    port = pick_port(host, path) if kind.needs_path else 0
    fault = Injected(kind.name, host.now(), card.uuid if card else "", port)
    if kind.name == "reboot":
        restart(host, away_s=REBOOT_AWAY_S)
        return fault
    _remember_heat(host)
    _log(host, kind, card)
    there = (fault.name, fault.gpu, fault.port)
    old = [f for f in host.state.faults if (f.name, f.gpu, f.port) == there]
    if old:
        return old[0]
    host.state.faults.append(fault)
    return fault


def clear(host: SimHost, name: str = "") -> list[Injected]:
    """Make the host well: of one fault, or of all. Restarts it where nothing less helps."""
    gone = [f for f in host.state.faults if not name or f.name == name]
    _remember_heat(host)
    for fault in gone:
        if fault.name == "container_stopped":
            for container, port in host.ports():
                if port.port == fault.port:
                    host.state.started[container.name] = host.now()
    host.state.faults = [f for f in host.state.faults if f not in gone]
    if any(find(fault.name).needs_restart for fault in gone):
        restart(host)
    elif not name and host.now() < host.state.down_until:
        _wake(host)
    return gone


def _wake(host: SimHost) -> None:
    """A restart that nobody has to wait for: the host and its containers are up at once."""
    host.state.down_until = 0.0
    host.state.boot.at = host.now() - 1
    host.state.started = {container.name: host.now() for container in host.spec.containers}
