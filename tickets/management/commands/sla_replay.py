"""`sla_replay FILE --json`: put tickets, written as event lists, through the clocks.

Exit codes: 0 answered, 2 the file cannot be read or is wrong.
"""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from fleet import typed
from tickets.sla import reading, writing
from tickets.sla.fields import Wrong

WRONG = 2


class Command(BaseCommand):
    help = "Put tickets, written as event lists, through the clocks (docs/sla-replay.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="the replay file; - for standard input")
        parser.add_argument("--json", action="store_true", help="answer with JSON (the only form)")

    def handle(self, **options: Any) -> None:
        try:
            value = _load(options["file"])
            cases = reading.cases_of(value)
            told = answer(value) if cases is None else {"cases": [_case(*case) for case in cases]}
        except Wrong as wrong:
            self.stderr.write(typed.visible(str(wrong)))
            sys.exit(WRONG)
        self.stdout.write(json.dumps(told, indent=1))


def answer(value: object) -> dict[str, Any]:
    """The output for one input. Raises Wrong."""
    return writing.answer(reading.read_file(value))


def _case(name: str, value: object) -> dict[str, Any]:
    try:
        return {"name": name, "output": answer(value)}
    except Wrong as wrong:
        return {"name": name, "error": {"where": wrong.where, "message": wrong.message}}


def _load(name: str) -> object:
    try:
        text = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise Wrong(name, f"cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Wrong(name, f"cannot be read: {error}") from error
    try:
        return json.loads(text, parse_constant=reading.plain)
    except RecursionError:
        raise Wrong(name, "is nested too deeply") from None
    except ValueError as error:
        raise Wrong(name, f"is no JSON: {error}") from error
