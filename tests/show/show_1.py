"""`make show-1`: the seven lines of "Must show" of the skeleton, each with its figure."""

import argparse
import sys
from functools import partial

from tests.show import board, checks, outage, starting
from tests.show.proof import Line, prove


def lines(*, remove: bool) -> list[Line]:
    suite = partial(checks.suite, remove=remove)
    return [
        (1, "Clone, make run, kill -9, run again", starting.starting),
        (2, "Both faults on the board, 20 injections, strangers see nothing", board.board),
        (3, "make test installs its parts and passes every tier", suite),
        (4, "A host without NVIDIA is never ok; NVML and nvidia-smi agree", checks.honest_host),
        (5, "Killed and frozen examiners and broker", outage.outage),
        (6, "Client CPU per probe beside OpenSSH ControlMaster", checks.costs),
        (7, "Contracts hold, planted violations are refused", checks.contracts),
    ]  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, nargs="+", default=[], metavar="LINE")
    parser.add_argument(
        "--remove", action="store_true", help="line 3: remove the packages first (root)"
    )
    chosen = parser.parse_args()
    return prove(lines(remove=chosen.remove), chosen.only)


if __name__ == "__main__":
    sys.exit(main())
