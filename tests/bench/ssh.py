"""CPU per host and probe beside OpenSSH, in alternating rounds.

`python -m tests.bench.ssh --hosts 100 --rounds 5`. Only ratios are goals: they hold on any machine.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

from tests.bench.farm import Farm
from tests.bench.modes import Mode, control_master, fresh, kept, openssh_fresh

BASELINE = control_master
MODES: dict[str, Callable[[Farm], Mode]] = {
    "kept": kept,
    "fresh": fresh,
    "openssh": openssh_fresh,
}


def rounds_of(modes: Sequence[Mode], rounds: int) -> dict[str, list[float]]:
    """CPU seconds per mode and round; within a round the order is shuffled."""
    spent: dict[str, list[float]] = {mode.name: [] for mode in modes}
    order = list(modes)
    for _ in range(rounds):
        random.shuffle(order)
        for mode in order:
            before = mode.cpu()
            mode.run()
            spent[mode.name].append(mode.cpu() - before)
    return spent


def table(modes: Sequence[Mode], spent: dict[str, list[float]], hosts: int) -> bool:
    """Print a line per mode; True when every limit holds."""
    baseline = spent[modes[0].name]
    good = True
    say(f"\n{hosts} hosts, {len(baseline)} rounds: client CPU per host, medians [min-max]")
    for mode in modes:
        each = [seconds / hosts * 1000 for seconds in spent[mode.name]]
        pairs = zip(spent[mode.name], baseline, strict=True)
        ratio = statistics.median(mine / yardstick for mine, yardstick in pairs)
        verdict = ""
        if mode.limit is not None:
            held = ratio <= mode.limit
            good = good and held
            verdict = f"  limit {mode.limit:.2f}  {'ok' if held else 'OVER'}"
        spread = f"[{min(each):.2f}-{max(each):.2f}]"
        say(f"{mode.name:24}{statistics.median(each):7.2f} ms {spread:>14}{ratio:7.2f} x{verdict}")
    return good


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def bench(hosts: int, rounds: int, names: Sequence[str]) -> bool:
    with tempfile.TemporaryDirectory(prefix="hh-bench-") as folder:
        farm = Farm(Path(folder), hosts).start()
        modes: list[Mode] = []
        try:
            modes.append(BASELINE(farm))
            modes += [MODES[name](farm) for name in names]
            began = time.monotonic()
            spent = rounds_of(modes, rounds)
            good = table(modes, spent, hosts)
            say(f"{time.monotonic() - began:.0f} s")
        finally:
            for mode in modes:
                mode.close()
            farm.stop()
    return good


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--modes", nargs="+", choices=list(MODES), default=list(MODES))
    options = parser.parse_args(argv)
    verdicts = [bench(hosts, options.rounds, options.modes) for hosts in options.hosts]
    return 0 if all(verdicts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
