"""The processes of a simulated host: its services, what runs in containers, and what hangs."""

from dataclasses import dataclass

from fleet.simulator.host import SimHost
from fleet.simulator.world import ContainerSpec, PortSpec

KTHREADD = 2
# khungtaskd speaks up after this long.
HUNG_TASK_S = 122.0


@dataclass(frozen=True, slots=True)
class Process:
    """A line of `ps`. `cards` are the UUIDs it computes on, `port` the TCP port it listens on."""

    pid: int
    parent: int
    user: str
    state: str
    waiting_in: str
    started: float
    command: str
    container: str = ""
    cards: tuple[str, ...] = ()
    memory_mib: int = 0
    port: int = 0

    @property
    def name(self) -> str:
        """The short name (`comm`) of the program."""
        first = self.command.split()[0].rstrip(":")
        return first.rsplit("/", 1)[-1][:15]


SERVICES = (
    ("systemd", "root", "/sbin/init"),
    ("journald", "root", "/usr/lib/systemd/systemd-journald"),
    ("sshd", "root", "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups"),
    ("containerd", "root", "/usr/bin/containerd"),
    (
        "dockerd",
        "root",
        "/usr/bin/dockerd -H fd:// --containerd=/run/containerd/containerd.sock",
    ),
    (
        "persistenced",
        "nvidia-persistenced",
        "/usr/bin/nvidia-persistenced --user nvidia-persistenced",
    ),
    ("chrony", "_chrony", "/usr/sbin/chronyd -F 1"),
)


def _proxy(host: SimHost, container: ContainerSpec, port: PortSpec) -> Process:
    inside = 2 + host.spec.containers.index(container)
    command = (
        f"/usr/bin/docker-proxy -proto tcp -host-ip 0.0.0.0 -host-port {port.port} "
        f"-container-ip 172.17.0.{inside} -container-port {port.inside} -use-listen-fd"
    )
    started = host.started_at(container)
    pid = host.pid(f"proxy{port.port}")
    return Process(
        pid, host.pid("dockerd"), "root", "Sl", "futex_do_wait", started, command, port=port.port
    )


def _inside(host: SimHost, container: ContainerSpec) -> list[Process]:
    start, shim = host.started_at(container), host.pid(f"shim{container.name}")
    shim_command = (
        f"/usr/bin/containerd-shim-runc-v2 -namespace moby -id {container.id} "
        "-address /run/containerd/containerd.sock"
    )
    found = [
        Process(shim, 1, "root", "Sl", "futex_do_wait", start, shim_command),
        Process(
            host.pid(f"init{container.name}"),
            shim,
            "root",
            "Ss",
            "do_wait",
            start,
            "/bin/bash /opt/entry.sh",
            container.name,
        ),
    ]
    if any(port.kind == "ssh" for port in container.ports) and not host.sshd_down(container):
        command = "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups"
        pid = host.pid(f"sshd{container.name}")
        found.append(
            Process(
                pid, found[1].pid, "root", "Ss", "poll_schedule", start, command, container.name
            )
        )
    if any(port.kind == "jupyter" for port in container.ports):
        command = (
            "/opt/conda/bin/python /opt/conda/bin/jupyter-lab --ip=0.0.0.0 --port=8888 --no-browser"
        )
        pid = host.pid(f"jupyter{container.name}")
        found.append(
            Process(pid, found[1].pid, "root", "Sl", "ep_poll", start, command, container.name)
        )
    return found


def _jobs(host: SimHost, container: ContainerSpec) -> list[Process]:
    """One program per card, as torchrun or a tensor-parallel server starts them."""
    if host.job_dead(container):
        return []
    return [
        Process(
            host.pid(f"job{uuid}"),
            host.pid(f"init{container.name}"),
            "root",
            "Rl",
            "-",
            host.started_at(container) + 3,
            container.program,
            container.name,
            (uuid,),
            container.memory_mib - 38,
        )
        for uuid in container.cards
    ]


def _stuck(host: SimHost) -> list[Process]:
    found = []
    for fault in host.faults("driver_hung"):
        pid = host.pid("stuck-smi")
        found.append(
            Process(pid, 1, "root", "D", "os_acquire_rwlock_read", fault.since, "nvidia-smi -q -x")
        )
    for fault in host.faults("port_taken"):
        pid = host.pid(f"taken{fault.port}")
        command = f"/usr/bin/Xtigervnc :9 -rfbport {fault.port} -SecurityTypes VncAuth"
        found.append(
            Process(pid, 1, "root", "Sl", "ep_poll", fault.since, command, port=fault.port)
        )
    return found


def processes(host: SimHost) -> list[Process]:
    """Every process of the host, by pid."""
    boot = host.state.boot.at
    found = [
        Process(
            1 if name == "systemd" else host.pid(name),
            0 if name == "systemd" else 1,
            user,
            "Ss",
            "ep_poll",
            boot + 3,
            command,
            port=22 if name == "sshd" else 0,
        )
        for name, user, command in SERVICES
    ]
    found.append(Process(KTHREADD, 0, "root", "S", "kthreadd", boot, "[kthreadd]"))
    for container in host.spec.containers:
        if host.running(container):
            found += _inside(host, container) + _jobs(host, container)
            found += [
                _proxy(host, container, p) for p in container.ports if host.published(container, p)
            ]
    return sorted(found + _stuck(host), key=lambda process: process.pid)
