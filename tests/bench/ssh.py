"""CPU per host and probe beside OpenSSH, in alternating rounds.

`python -m tests.bench.ssh --hosts 100 --rounds 5`: the transport alone; with `--database sqlite` or
`postgres`, from the wire to the stored row. Only ratios are goals: they hold on any machine.
"""

import argparse
import gc
import random
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import recording
from tests.bench.database import KINDS, opened
from tests.bench.farm import Farm
from tests.bench.modes import Mode, control_master, fresh, kept, openssh_fresh

BASELINE = control_master
TRANSPORT = {"kept": kept, "fresh": fresh, "openssh": openssh_fresh}
PIPELINE = ["stored", "whole"]


def rounds_of(modes: Sequence[Mode], rounds: int) -> dict[str, list[float]]:
    """CPU seconds per mode and round; within a round the order is shuffled."""
    spent: dict[str, list[float]] = {mode.name: [] for mode in modes}
    order = list(modes)
    for _ in range(rounds):
        random.shuffle(order)
        for mode in order:
            mode.before()
            gc.collect()  # what another mode left behind is not this one's cost
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


def bench(hosts: int, rounds: int, names: Sequence[str], database: str) -> bool:
    """One table. With a database the hosts answer with a recorded examination of eight cards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="hh-bench-")))
        farm = Farm(folder / "plain", hosts).start()
        stack.callback(farm.stop)
        openers: dict[str, Callable[[Farm], Mode]] = {**TRANSPORT}
        modes = [_open(BASELINE, farm, stack)]
        if database:
            farm = Farm(folder / "nodes", hosts, extra=recording.answering)
            recording.write(farm)
            stack.callback(farm.start().stop)
            openers = {**_pipeline(farm)}
        modes += [_open(openers[name], farm, stack) for name in names or openers]
        began = time.monotonic()
        spent = rounds_of(modes, rounds)
        good = table(modes, spent, hosts)
        say(f"{time.monotonic() - began:.0f} s{f', {database}' if database else ''}")
    return good


def _open(opener: Callable[[Farm], Mode], farm: Farm, stack: ExitStack) -> Mode:
    mode = opener(farm)
    stack.callback(mode.close)
    return mode


def _pipeline(farm: Farm) -> dict[str, Callable[[Farm], Mode]]:
    from tests.bench import pipeline  # models can be imported only now

    pipeline.fill(farm)
    return pipeline.MODES


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--database", choices=KINDS, default="")
    parser.add_argument("--modes", nargs="+", default=[], help=f"{[*TRANSPORT]} or {PIPELINE}")
    options = parser.parse_args(argv)
    with opened(options.database) if options.database else nullcontext():
        good = bench(options.hosts, options.rounds, options.modes, options.database)
    return 0 if good else 1


if __name__ == "__main__":
    raise SystemExit(main())
