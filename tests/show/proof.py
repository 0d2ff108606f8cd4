"""How a line of "Must show" is proved and printed."""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Proof:
    """The figures of one line; it holds when every single check did."""

    figures: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def check(self, holds: bool, figure: str) -> None:
        """Note a figure, and whether it is what was promised."""
        self.figures.append(figure if holds else f"{figure} (NOT AS PROMISED)")
        if not holds:
            self.failures.append(figure)
        say(f"    {'ok  ' if holds else 'FAIL'} {figure}")

    def command(self, argv: Sequence[str | Path], figure: str, *, last: int = 1) -> str:
        """Run a command of the project; it must end with 0. Its last lines join the figure."""
        say(f"    $ {' '.join(str(part) for part in argv)}")
        start = time.monotonic()
        done = subprocess.run(
            [str(part) for part in argv],
            cwd=ROOT,
            check=False,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        lines = done.stdout.strip().splitlines()
        if done.returncode:
            say("\n".join(lines[-40:]))
        tail = "; ".join(line.strip("= ") for line in lines[-last:])
        self.check(done.returncode == 0, f"{figure}: {tail} [{time.monotonic() - start:.0f} s]")
        return done.stdout


Line = tuple[int, str, Callable[[Proof], None]]


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def prove(lines: Sequence[Line], only: Sequence[int]) -> int:
    """Run the chosen lines, print a summary, return the exit status."""
    summary = []
    for number, promise, run in lines:
        if only and number not in only:
            continue
        say(f"\n{number}. {promise}")
        proof = Proof()
        start = time.monotonic()
        try:
            run(proof)
        except Exception as error:
            proof.check(False, f"{type(error).__name__}: {error}")
        took = time.monotonic() - start
        summary.append((number, proof, took))
    say("\nMust show")
    for number, proof, took in summary:
        verdict = "FAIL" if proof.failures or not proof.figures else "PASS"
        say(f"{number}. {verdict} ({took:.0f} s) " + "; ".join(proof.figures))
    return 1 if any(proof.failures or not proof.figures for _, proof, _ in summary) else 0
