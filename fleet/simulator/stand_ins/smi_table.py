"""The table that plain `nvidia-smi` prints (branches 550 to 580)."""

from time import gmtime, strftime

from fleet.simulator.host import CardNow, SimHost
from fleet.simulator.processes import processes

RULE = "+-----------------------------------------+------------------------+----------------------+"
WIDE = "+" + "-" * 89 + "+"


def _line(left: str, middle: str, right: str) -> str:
    return f"|{left:<41}|{middle:<24}|{right:<22}|"


def _head(host: SimHost) -> list[str]:
    spec = host.spec
    version = f"Driver Version: {spec.driver:<15}"
    banner = f" NVIDIA-SMI {spec.driver:<23}{version}CUDA Version: {spec.cuda:<9}"
    return [
        strftime("%a %b %e %H:%M:%S %Y       ", gmtime(host.now())),
        WIDE,
        f"|{banner:<89}|",
        "|" + RULE[1:-1] + "|",
        _line(
            " GPU  Name                 Persistence-M ",
            " Bus-Id          Disp.A ",
            " Volatile Uncorr. ECC ",
        ),
        _line(
            " Fan  Temp   Perf          Pwr:Usage/Cap ",
            "           Memory-Usage ",
            " GPU-Util  Compute M. ",
        ),
        _line("", "", f"{'MIG M.':>21}"),
        "|" + RULE[1:-1].replace("-", "=") + "|",
    ]


def _card(card: CardNow) -> list[str]:
    spec, now = card.spec, card.readings
    assert now is not None
    first = f"{card.index:>4}  {spec.model:<30.30} On  "
    fan, heat, power = f"{now.fan_pct}%", f"{now.temperature_c}C", f"{now.power_w:.0f}W"
    load, pstate = f"{now.load_pct}%", now.pstate
    if card.broken:
        fan, heat, power, load, pstate = "ERR!", "ERR!", "ERR!", "ERR!", "ERR!"
    second = f"{fan:>4}  {heat:>4}    {pstate:<4}{power:>13} / {spec.limit_w:>4}W "
    memory, total = f"{card.used_mib}MiB", f"{spec.memory_mib}MiB"
    return [
        _line(first, f"   0000{spec.bdf.upper()} Off ", f"{'Off':>21}"),
        _line(second, f"{memory:>11} / {total:>9} ", f"{load:>8}      Default "),
        _line("", "", f"{'N/A':>21}"),
        RULE,
    ]


def _programs(host: SimHost, cards: list[CardNow]) -> list[str]:
    lines = []
    running = processes(host)
    for card in cards:
        for process in running:
            if card.spec.uuid in process.cards:
                name, used = process.command.split()[0], f"{process.memory_mib}MiB"
                if len(name) > 36:
                    name = "..." + name[-33:]
                row = f"{card.index:>5}   N/A  N/A{process.pid:>16}      C   {name:<36}{used:>10} "
                lines.append(f"|{row}|")
    none = f"|{'  No running processes found':<89}|"
    return lines or [none]


def table(host: SimHost, cards: list[CardNow]) -> str:
    """The whole table with its process list."""
    lines = _head(host)
    for card in cards:
        lines += _card(card)
    lines += [
        " " * 91,
        WIDE,
        f"|{' Processes:':<89}|",
        f"|{'  GPU   GI   CI              PID   Type   Process name':<78}{'GPU Memory':<11}|",
        f"|{'        ID   ID':<78}{'Usage':<11}|",
        "|" + "=" * 89 + "|",
        *_programs(host, cards),
        WIDE,
    ]
    return "\n".join(lines) + "\n"
