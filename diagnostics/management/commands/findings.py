"""`findings [--open] [--node NAME] [--json]`: what is wrong, or has been."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import QuerySet

from diagnostics.findings.describe import describe
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.inventory.states import NodeState
from fleet.management.naming import node_named
from fleet.management.numbers import whole


class Command(BaseCommand):
    help = "List findings, newest first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--open", action="store_true", help="only what is wrong now")
        parser.add_argument("--node", metavar="NAME", help="only this node")
        parser.add_argument("--limit", type=whole(1), default=500, help="at most so many rows")
        parser.add_argument("--json", action="store_true", help="one JSON list")

    def handle(self, **options: Any) -> None:
        rows = [describe(row) for row in _rows(options)]
        if options["json"]:
            self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1))
            return
        for row in rows:
            self.stdout.write(_line(row))
        if not rows:
            self.stdout.write("No findings.")


def _rows(options: dict[str, Any]) -> QuerySet[Finding]:
    rows = Finding.objects.select_related("node", "lease").order_by("-opened_at", "-pk")
    if options["open"]:
        rows = rows.filter(state=FindingState.OPEN).exclude(node__state=NodeState.RETIRED)
    if options["node"]:
        rows = rows.filter(node=node_named(options["node"]))
    return rows[: options["limit"]]


def _line(row: dict[str, Any]) -> str:
    mark = "└" if row["root"] else "●"
    state = "" if row["state"] == FindingState.OPEN else f" ({row['state']})"
    return (
        f"{mark} {row['opened_at'][:19]}Z {row['severity']:<8} {row['node']:<16} {row['layer']:<9}"
        f" {row['code']}{state} [{row['target']}] {row['reason']}"
    )
