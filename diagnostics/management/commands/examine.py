"""`examine NODE [--json]`: visit a node now and say what was found, layer by layer.

Exit codes: 0 examined (whatever was found), 2 no such node, 3 not in service, 4 still held.
"""

import json
from itertools import groupby
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from diagnostics.examine.models import Examination, Watch
from diagnostics.examine.services import NotInService, StillHeld, examine_now
from diagnostics.findings.describe import describe, said
from diagnostics.findings.messages import probe_title
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.inventory.models import Node
from fleet.management.naming import node_named
from fleet.management.numbers import seconds

MARKS = {"ok": "ok  ", "warn": "WARN", "fail": "FAIL", "unknown": "?   "}


class Command(BaseCommand):
    help = "Examine a node now. Waits if an examiner is just visiting it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("node", help="the node's name")
        parser.add_argument("--json", action="store_true", help="one JSON object")
        parser.add_argument(
            "--wait", type=seconds(3600), default=90.0, help="seconds to wait at most"
        )

    def handle(self, **options: Any) -> None:
        node = node_named(options["node"])
        wait = options["wait"]
        try:
            row = examine_now(node, wait_s=wait)
        except NotInService as error:
            raise CommandError(
                f"{node.name} is not examined: it is {node.get_state_display()}.", returncode=3
            ) from error
        except StillHeld as error:
            raise CommandError(
                f"An examiner held {node.name} for {wait:.0f} s; the visit stays queued.",
                returncode=4,
            ) from error
        report = _report(node, row)
        if options["json"]:
            self.stdout.write(json.dumps(report, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(_lines(report)))


def _report(node: Node, row: Examination) -> dict[str, Any]:
    readings = row.whole if row.whole is not None else Watch.objects.get(node=node).readings
    found = Finding.objects.select_related("node", "lease").filter(
        node=node, state=FindingState.OPEN
    )
    return {
        "node": node.name,
        "examination": row.pk,
        "started_at": row.started_at.isoformat(),
        "ended_at": row.ended_at.isoformat(),
        "reached": row.reached,
        "verdict": row.verdict,
        "failing_layer": row.failing_layer,
        "host_ms": row.host_ms,
        "readings": [
            {**each, "sentence": said(each["reason"], each["values"])} for each in readings
        ],
        "findings": [describe(finding) for finding in found.order_by("-opened_at", "-pk")],
    }


def _lines(report: dict[str, Any]) -> list[str]:
    layer = f", lowest failing layer: {report['failing_layer']}" if report["failing_layer"] else ""
    lines = [f"{report['node']}: {report['verdict']}{layer} ({report['reached']})"]
    judged = [each for each in report["readings"] if each["reason"] != "layer_below"]
    for probe, readings in groupby(judged, key=lambda each: each["probe"]):
        lines += _of_probe(probe, list(readings))
    if hidden := len(report["readings"]) - len(judged):
        lines.append(f"  {MARKS['unknown']} {hidden} checks were not judged: a lower layer fails")
    for each in report["findings"]:
        kind = "consequence" if each["root"] else "finding"
        lines.append(f"  {kind}: {each['code']} [{each['target']}] {each['title']}")
    return lines


def _of_probe(probe: str, readings: list[dict[str, Any]]) -> list[str]:
    """Greens of many targets in one line, everything else one by one."""
    green = [each for each in readings if each["verdict"] == "ok"]
    layer = f"{readings[0]['layer']:<9}"
    lines = []
    if len(green) > 1:
        lines.append(f"  {MARKS['ok']} {layer} {probe_title(probe)}: {len(green)} ok")
        readings = [each for each in readings if each not in green]
    unknown = [each for each in readings if each["verdict"] == "unknown"]
    if len(unknown) > 1 and len({each["sentence"] for each in unknown}) == 1:
        said = f"{probe_title(probe)}: {unknown[0]['sentence']} ({len(unknown)} times)"
        lines.append(f"  {MARKS['unknown']} {layer} {said}")
        readings = [each for each in readings if each not in unknown]
    for each in readings:
        said = f"{probe_title(probe)}, {each['target']}: {each['sentence']}"
        lines.append(f"  {MARKS[each['verdict']]} {layer} {said}")
    return lines
