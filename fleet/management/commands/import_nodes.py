"""Import nodes from a CSV table or an OpenSSH ssh_config (docs/import.md)."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.inventory.importing.drafts import CSV, SSH_CONFIG, kind_of, run
from fleet.inventory.importing.nodes import Wish
from fleet.inventory.importing.printing import lines_of
from fleet.inventory.importing.table import LARGEST, BadFile, decode
from fleet.people.models import User


class Command(BaseCommand):
    """Exit status: 0 all rows stand, 1 a row was refused, 2 the file cannot be read."""

    help = "Import nodes from a CSV table or an OpenSSH ssh_config."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """FILE is `-` for standard input."""
        parser.add_argument("file")
        parser.add_argument(
            "--kind", choices=[CSV, SSH_CONFIG], help="told by the content if left out"
        )
        parser.add_argument("--provider", default="", help="for rows that name none")
        parser.add_argument("--region", default="", help="for rows that name none")
        parser.add_argument("--dry-run", action="store_true", help="report, write nothing")
        parser.add_argument("--all-or-nothing", action="store_true", help="write all rows or none")
        parser.add_argument("--by", metavar="EMAIL", help="who imports, for the change record")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read, import, report."""
        wish = Wish(
            provider=options["provider"],
            region=options["region"],
            dry_run=options["dry_run"],
            all_or_nothing=options["all_or_nothing"],
            actor=person(options["by"]),
        )
        try:
            text = read(options["file"])
            report = run(kind=options["kind"] or kind_of(text), text=text, wish=wish)
        except BadFile as bad:
            raise CommandError(str(bad), returncode=2) from bad
        if options["json"]:
            self.stdout.write(json.dumps(report.as_dict(), ensure_ascii=False, indent=2))
        else:
            self.stdout.write("\n".join(lines_of(report)))
        if not report.clean:
            sys.exit(1)


def read(name: str) -> str:
    """The text of a file, or of standard input. Raises BadFile and CommandError."""
    try:
        if name == "-":
            return decode(sys.stdin.buffer.read(LARGEST + 1))
        with Path(name).open("rb") as file:
            return decode(file.read(LARGEST + 1))
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}", returncode=2) from error


def person(email: str | None) -> User | None:
    """Who acts, by e-mail address. Raises CommandError for a stranger."""
    if not email:
        return None
    found = User.objects.filter(email__iexact=email, is_active=True).first()
    if found is None:
        raise CommandError(f"nobody signs in as {email}")
    return found
