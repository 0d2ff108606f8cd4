"""Ways to run the probe on every host once, each with its own account of CPU time."""

import resource
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from fleet.transport.connections import Connections
from fleet.transport.result import Address, Result
from fleet.transport.ssh import connect
from tests.bench.farm import Farm
from tests.parts.processes import stop, wait_until

# As many visits at once as an examiner has threads by default, for every mode alike.
THREADS = 32
TIMEOUT_S = 30.0

# Ten small commands, collected and written once; about 10 kB.
COMMANDS = (
    "uname -a",
    "cat /proc/uptime",
    "cat /proc/loadavg",
    "head -c 1500 /proc/meminfo",
    "head -c 1500 /proc/stat",
    "head -c 2000 /proc/cpuinfo",
    "df -P",
    "head -c 2000 /proc/self/mountinfo",
    "id",
    "head -c 3000 /proc/self/smaps",
)
PROBE = f"o=$({'; '.join(COMMANDS)}); printf '%s\\n' \"$o\""
ARGV = ("sh", "-c", PROBE)


@dataclass
class Mode:
    """One way. `run` does every host once; `cpu` reads the CPU seconds its processes have used;
    `before` prepares a round and is not counted.

    `limit` is the most it may cost as a multiple of the baseline; None for yardsticks.
    """

    name: str
    run: Callable[[], None]
    cpu: Callable[[], float]
    limit: float | None = None
    close: Callable[[], None] = field(default=lambda: None)
    before: Callable[[], None] = field(default=lambda: None)


def check(output: bytes) -> None:
    if not 6_000 <= len(output) <= 16_000:
        raise AssertionError(f"the probe gave {len(output)} bytes")


def everywhere(work: Callable[[Address], Result], farm: Farm) -> Callable[[], None]:
    """`work` on each address, THREADS at a time."""
    pool = ThreadPoolExecutor(THREADS)

    def run() -> None:
        for result in pool.map(work, farm.addresses):
            check(result.output)

    return run


def kept(farm: Farm) -> Mode:
    """Halfhour over kept connections: what a visit a minute costs."""
    connections = Connections()
    run = everywhere(lambda address: connections.run(address, ARGV, timeout=TIMEOUT_S), farm)
    run()  # connects
    return Mode("kept", run, time.process_time, 0.25, connections.close_all)


def fresh(farm: Farm) -> Mode:
    """Halfhour with a new connection each time: the fallback after any error."""

    def work(address: Address) -> Result:
        with connect(address, timeout=TIMEOUT_S) as transport:
            return transport.run(ARGV, timeout=TIMEOUT_S)

    return Mode("fresh", everywhere(work, farm), time.process_time, 0.75)


def _ssh(farm: Farm, host: str, *more: str, path: str = "") -> list[str]:
    """OpenSSH's client, strict, by one key; `path`: its control socket, if not the host's."""
    options = {
        "StrictHostKeyChecking": "yes",
        "UserKnownHostsFile": str(farm.folder / f"known-{host}"),
        "GlobalKnownHostsFile": "/dev/null",
        "IdentityAgent": "none",
        "IdentitiesOnly": "yes",
        "KexAlgorithms": "curve25519-sha256",  # its default may be a slow post-quantum one
        "Compression": "no",
        "LogLevel": "ERROR",
        "BatchMode": "yes",
        "ControlPath": path or str(farm.folder / f"c-{host}"),
    }
    known = farm.folder / f"known-{host}"
    known.write_text(f"[{host}]:{farm.port} {farm.host_key}\n", encoding="utf-8")
    words = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    key = str(farm.folder / "keys" / "client")
    who = f"{farm.user}@{host}"
    return ["ssh", "-F", "none", "-i", key, "-p", str(farm.port), *words, *more, who]


def _spawning(commands: list[list[str]]) -> Callable[[], None]:
    pool = ThreadPoolExecutor(THREADS)

    def one(argv: list[str]) -> int:
        return subprocess.run(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, check=False
        ).returncode

    def run() -> None:
        if failed := [status for status in pool.map(one, commands) if status]:
            raise AssertionError(f"ssh failed on {len(failed)} hosts: {failed[0]}")

    return run


def children_cpu() -> float:
    """CPU seconds of every child process that has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def control_master(farm: Farm) -> Mode:
    """The baseline: OpenSSH's client over a ControlMaster per host. Its masters count too."""
    masters = []
    for host in farm.hosts:
        argv = _ssh(farm, host, "-o", "ControlMaster=yes", "-N")
        masters.append(subprocess.Popen(argv, stdin=subprocess.DEVNULL))
    for host in farm.hosts:
        wait_until((farm.folder / f"c-{host}").exists, seconds=60, what="a master answers")
    commands = [[*_ssh(farm, host), "--", PROBE] for host in farm.hosts]
    output = subprocess.run(commands[0], capture_output=True, check=True, timeout=60).stdout
    check(output)

    def cpu() -> float:
        return children_cpu() + sum(_cpu_of(master.pid) for master in masters)

    def close() -> None:
        for master in masters:
            stop(master)

    return Mode("OpenSSH ControlMaster", _spawning(commands), cpu, close=close)


def _cpu_of(pid: int) -> float:
    """CPU seconds of a living process, in nanoseconds' precision (stat counts in 10 ms)."""
    return int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9


def openssh_fresh(farm: Farm) -> Mode:
    """A second yardstick: an ssh process and connection per host."""
    commands = [[*_ssh(farm, host, path="none"), "--", PROBE] for host in farm.hosts]
    return Mode("OpenSSH fresh", _spawning(commands), children_cpu)
