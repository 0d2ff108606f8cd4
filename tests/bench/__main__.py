"""`make bench`: every table, each in a process of its own, because Django opens one database."""

import argparse
import subprocess
import sys
from collections.abc import Sequence

from tests.parts.tiers import missing_part


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--hosts", type=int, nargs="+", default=[100, 200])
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(argv)
    if missing := missing_part("sshd"):
        parser.error(missing)
    databases = ["", "sqlite"] if missing_part("postgres") else ["", "sqlite", "postgres"]
    failed = 0
    for hosts in options.hosts:
        for database in databases:
            words = ["--hosts", str(hosts), "--rounds", str(options.rounds)]
            words += ["--database", database] if database else []
            run = [sys.executable, "-m", "tests.bench.ssh", *words]
            failed += bool(subprocess.run(run, check=False).returncode)
    return min(failed, 1)


if __name__ == "__main__":
    raise SystemExit(main())
