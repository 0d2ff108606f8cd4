"""systemctl, df, ps, free, uname, fuser and their like: the host's own condition."""

import re
from collections.abc import Callable
from time import gmtime, strftime

from fleet.simulator.host import SimHost
from fleet.simulator.processes import Process, processes
from fleet.simulator.stand_ins.answer import Answer, option

GIB = 1 << 30
UNITS = ("docker.service", "containerd.service", "ssh.service", "chrony.service")
UNIT_NAMES = {"docker", "containerd", "ssh", "sshd", "chrony", "nvidia-persistenced"}


def systemctl(_host: SimHost, words: list[str]) -> Answer:
    """is-active, is-system-running, show, status, list-units of a handful of services."""
    plain = [word for word in words if not word.startswith("-")]
    what, units = (plain[0], plain[1:]) if plain else ("list-units", [])
    if what == "is-system-running":
        return Answer("running\n")
    known = [unit.removesuffix(".service") in UNIT_NAMES for unit in units]
    if what in {"is-active", "is-enabled"}:
        words_for = ("active", "inactive") if what == "is-active" else ("enabled", "not-found")
        lines = [words_for[0] if there else words_for[1] for there in known]
        return Answer("".join(f"{line}\n" for line in lines), 0 if all(known) else 3)
    if what == "show":
        return Answer("ActiveState=active\nSubState=running\nLoadState=loaded\nNRestarts=0\n")
    if what == "status" and units:
        if not known[0]:
            return Answer("", 4, f"Unit {units[0]} could not be found.\n")
        return Answer(f"● {units[0]}\n     Loaded: loaded\n     Active: active (running)\n")
    if what == "list-units":
        return Answer(
            ""
            if "--failed" in words or "--state=failed" in words
            else "".join(f"{u} loaded active running\n" for u in UNITS)
        )
    return Answer("", 1, "Failed to connect to bus: Permission denied\n")


def _disks(host: SimHost) -> list[tuple[str, int, int, str, int, int]]:
    """(device, size, used, mount, inodes, inodes used) of each file system, sizes in bytes."""
    full = host.has("disk_full")
    data = host.spec.disk_gib * GIB
    busy = 0.31 + 0.04 * len(host.spec.containers)
    used = data if full else int(data * busy)
    return [
        ("/dev/nvme0n1p2", 196 * GIB, 41 * GIB, "/", 13_107_200, 512_881),
        ("/dev/nvme1n1", data, used, "/var/lib/docker", data // 16384, int(data // 16384 * 0.09)),
        ("tmpfs", host.spec.ram_gib * GIB // 10, 3 << 20, "/run", 20_000_000, 1_711),
    ]


def df(host: SimHost, words: list[str]) -> Answer:
    """`-P -B1`, `-iP`, `-h`; the docker disk fills up, not the root."""
    flags = "".join(word[1:] for word in words if re.fullmatch(r"-[A-Za-z0-9]+", word))
    wanted = [word for word in words if word.startswith("/")]
    unit = 1 if "B1" in flags else 1024
    rows = []
    for device, size, used, mount, inodes, taken in _disks(host):
        total, gone, left = (
            (inodes, taken, inodes - taken)
            if "i" in flags
            else (size // unit, used // unit, (size - used) // unit)
        )
        share = -(-gone * 100 // total)
        rows.append((device, str(total), str(gone), str(left), f"{share}%", mount))
    if wanted:
        keep = {
            max((r[5] for r in rows if path.startswith(r[5])), key=len, default="/")
            for path in wanted
        }
        rows = [row for row in rows if row[5] in keep]
    elif "l" not in flags and "x" in flags:
        rows = [row for row in rows if row[0] != "tmpfs"]
    names = (
        "Filesystem",
        "Inodes" if "i" in flags else f"{unit}-blocks",
        "IUsed" if "i" in flags else "Used",
        "IFree" if "i" in flags else "Available",
        "IUse%" if "i" in flags else "Capacity",
        "Mounted on",
    )
    lines = [f"{a:<16} {b:>15} {c:>15} {d:>15} {e:>8} {f}\n" for a, b, c, d, e, f in [names, *rows]]
    return Answer("".join(lines))


def _elapsed(seconds: int) -> str:
    days, rest = divmod(seconds, 86400)
    clock = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    return f"{days}-{clock}" if days else clock


PS_COLUMNS: dict[str, tuple[str, Callable[[SimHost, Process], str]]] = {
    "pid": ("PID", lambda _h, p: str(p.pid)),
    "ppid": ("PPID", lambda _h, p: str(p.parent)),
    "user": ("USER", lambda _h, p: p.user[:8]),
    "stat": ("STAT", lambda _h, p: p.state),
    "state": ("S", lambda _h, p: p.state[0]),
    "s": ("S", lambda _h, p: p.state[0]),
    "wchan": ("WCHAN", lambda _h, p: p.waiting_in),
    "etimes": ("ELAPSED", lambda h, p: str(int(h.now() - p.started))),
    "etime": ("ELAPSED", lambda h, p: _elapsed(int(h.now() - p.started))),
    "comm": ("COMMAND", lambda _h, p: p.name),
    "args": ("COMMAND", lambda _h, p: p.command),
    "cmd": ("CMD", lambda _h, p: p.command),
    "command": ("COMMAND", lambda _h, p: p.command),
    "rss": ("RSS", lambda _h, p: str(1024 * (18 + p.memory_mib // 4))),
    "pcpu": ("%CPU", lambda _h, p: "99.8" if p.cards else "0.1"),
    "pmem": ("%MEM", lambda _h, p: "1.4" if p.cards else "0.0"),
    "lstart": ("STARTED", lambda _h, p: strftime("%a %b %e %H:%M:%S %Y", gmtime(p.started))),
}


def _columns(words: list[str]) -> list[tuple[str, bool]] | str:
    """(column, has a title) for each of `-o`; a text is the error."""
    found: list[tuple[str, bool]] = []
    for place, word in enumerate(words):
        spec = (
            words[place + 1]
            if re.fullmatch(r"-[A-Za-z]*o", word) and place + 1 < len(words)
            else ""
        )
        spec = spec or (word[2:].lstrip("=") if word.startswith("-o") else "")
        for part in re.split(r"[,\s]+", spec):
            name, sign, _title = part.partition("=")
            name = name.split(":", 1)[0]
            if not part:
                continue
            if name not in PS_COLUMNS:
                return f'error: unknown user-defined format specifier "{name}"\n'
            found.append((name, not sign))
    return found or [
        (name, True) for name in ("user", "pid", "pcpu", "pmem", "stat", "etime", "args")
    ]


def ps(host: SimHost, words: list[str]) -> Answer:
    """`-e -o COLUMNS`, `aux`, `-p PID`."""
    columns = _columns(words)
    if isinstance(columns, str):
        return Answer("", 1, columns)
    wanted = option(words, "-p", "--pid")
    pids = set(wanted.split(",")) if wanted else None
    chosen = [p for p in processes(host) if pids is None or str(p.pid) in pids]
    rows = [[PS_COLUMNS[name][1](host, process) for name, _ in columns] for process in chosen]
    if any(titled for _, titled in columns) and "--no-headers" not in words and "h" not in words:
        rows.insert(0, [PS_COLUMNS[name][0] if titled else "" for name, titled in columns])
    widths = [max(len(row[n]) for row in rows) if rows else 0 for n in range(len(columns))]
    lines = [" ".join(cell.ljust(widths[n]) for n, cell in enumerate(row)).rstrip() for row in rows]
    return Answer("".join(f"{line}\n" for line in lines), 0 if chosen else 1)


def pgrep(host: SimHost, words: list[str]) -> Answer:
    """`-a`, `-x`, `-f PATTERN` over the host's processes."""
    pattern = next((word for word in reversed(words) if not word.startswith("-")), "")
    flags = "".join(word[1:] for word in words if word.startswith("-"))
    lines = []
    for process in processes(host):
        text = process.command if "f" in flags else process.name
        if re.search(pattern, text) and ("x" not in flags or text == pattern):
            lines.append(
                f"{process.pid} {process.command}\n" if "a" in flags else f"{process.pid}\n"
            )
    return Answer("".join(lines), 0 if lines else 1)


def free(host: SimHost, words: list[str]) -> Answer:
    """Memory in KiB, or with `-b`, `-m`, `-g`."""
    shift = {"-b": 0, "-m": 20, "-g": 30}.get(
        next((w for w in words if w in {"-b", "-m", "-g"}), ""), 10
    )
    busy = sum(card.readings is not None and card.readings.busy for card in host.cards())
    total, used = host.spec.ram_gib * GIB, (12 + 31 * busy) * GIB
    cached = total // 5
    cells = [total, used, total - used - cached, 4 << 20, cached, total - used]
    row = "".join(f"{cell >> shift:>12}" for cell in cells)
    return Answer(
        "               total        used        free      shared  buff/cache   available\n"
        f"Mem:   {row}\nSwap:             0           0           0\n"
    )


def uname(host: SimHost, words: list[str]) -> Answer:
    """Kernel and architecture."""
    if "-a" in words:
        return Answer(
            f"Linux {host.spec.name} {host.spec.kernel} #61-Ubuntu SMP x86_64 GNU/Linux\n"
        )
    parts = {"-r": host.spec.kernel, "-n": host.spec.name, "-m": "x86_64", "-s": "Linux"}
    chosen = [parts[word] for word in words if word in parts]
    return Answer(" ".join(chosen or ["Linux"]) + "\n")


def hostname(host: SimHost, _words: list[str]) -> Answer:
    return Answer(f"{host.spec.name}\n")


def nproc(host: SimHost, _words: list[str]) -> Answer:
    return Answer(f"{host.spec.cores}\n")


def uptime(host: SimHost, words: list[str]) -> Answer:
    """`-s` is the boot's wall time."""
    if "-s" in words:
        return Answer(strftime("%Y-%m-%d %H:%M:%S\n", gmtime(host.state.boot.at)))
    clock = strftime("%H:%M:%S", gmtime(host.now()))
    return Answer(
        f" {clock} up {int(host.uptime // 86400)} days,  0 users,  load average: 0.42, 0.40, 0.37\n"
    )


def fuser(host: SimHost, words: list[str]) -> Answer:
    """Who holds `/dev/nvidiaN`: the program on the card, and the persistence daemon."""
    lines = []
    for word in words:
        match = re.fullmatch(r"/dev/nvidia(\d+|ctl|-uvm)", word)
        if not match:
            continue
        held = [host.pid("persistenced")]
        for card in host.cards():
            if match[1] in {str(card.index), "ctl", "-uvm"}:
                held += [p.pid for p in processes(host) if card.spec.uuid in p.cards]
        lines.append(f"{word}:{''.join(f' {pid}' for pid in sorted(set(held)))}\n")
    return Answer("".join(lines), 0 if lines else 1)


def modinfo(host: SimHost, words: list[str]) -> Answer:
    """The driver on disk: newer than the one loaded after an update without a restart."""
    name = next((word for word in reversed(words) if not word.startswith("-")), "")
    if name != "nvidia":
        return Answer("", 1, f"modinfo: ERROR: Module {name} not found.\n")
    version = host.spec.driver_new if host.has("driver_mismatch") else host.spec.driver
    if option(words, "-F") or "version" in words:
        return Answer(f"{version}\n")
    where = f"/lib/modules/{host.spec.kernel}/updates/dkms/nvidia.ko.zst"
    return Answer(
        f"filename:       {where}\nversion:        {version}\nlicense:        Dual MIT/GPL\n"
    )


def lsmod(_host: SimHost, _words: list[str]) -> Answer:
    return Answer(
        "Module                  Size  Used by\n"
        "nvidia_uvm           2076672  4\nnvidia_drm            131072  0\n"
        "nvidia_modeset       1724416  1 nvidia_drm\n"
        "nvidia              14376960  48 nvidia_uvm,nvidia_modeset\n"
    )


def dkms(host: SimHost, _words: list[str]) -> Answer:
    return Answer(f"nvidia/{host.spec.driver}, {host.spec.kernel}, x86_64: installed\n")
