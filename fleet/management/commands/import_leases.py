"""Import leases from the order system's CSV table (docs/import.md)."""

import json
import sys
from argparse import ArgumentParser
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.core.management.base import BaseCommand, CommandError

from fleet.inventory.importing.printing import lines_of
from fleet.inventory.importing.table import BadFile
from fleet.leases.importing import LeaseWish, import_leases
from fleet.management.commands.import_nodes import person, read


class Command(BaseCommand):
    """Exit status: 0 all rows stand, 1 a row was refused, 2 the file cannot be read."""

    help = "Import leases from the order system's CSV table."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE is `-` for standard input."""
        parser.add_argument("file")
        parser.add_argument("--zone", help="for times without one, such as Asia/Shanghai")
        parser.add_argument("--dry-run", action="store_true", help="report, write nothing")
        parser.add_argument("--all-or-nothing", action="store_true", help="write all rows or none")
        parser.add_argument(
            "--complete", action="store_true", help="the list is all there is: name what it lacks"
        )
        parser.add_argument(
            "--end-missing", action="store_true", help="with --complete: end what it lacks"
        )
        parser.add_argument(
            "--new-customers", action="store_true", help="add customers we do not know"
        )
        parser.add_argument("--by", metavar="EMAIL", help="who imports, for the change record")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, import, report."""
        if options["zone"] and options["zone"] not in available_timezones():
            raise CommandError(f"no time zone is called {options['zone']}")
        if options["end_missing"] and not options["complete"]:
            raise CommandError("--end-missing needs --complete")
        names = ("dry_run", "all_or_nothing", "complete", "end_missing", "new_customers")
        wish = LeaseWish(
            zone=ZoneInfo(options["zone"]) if options["zone"] else None,
            actor=person(options["by"]),
            **{name: options[name] for name in names},
        )
        try:
            report = import_leases(read(options["file"]), wish)
        except BadFile as bad:
            raise CommandError(str(bad), returncode=2) from bad
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
        else:
            self.stdout.write("\n".join(lines_of(report)))
        if not report.clean:
            sys.exit(1)
