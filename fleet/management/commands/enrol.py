"""Enrol a node from the command line: look at its host key, pin the one you compared."""

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.changes.errors import Refused
from fleet.inventory.models import KeyScan, Node
from fleet.inventory.queries import open_keys
from fleet.inventory.scanning import WITHIN_S, scan
from fleet.inventory.services import ask_for_scan, enrol
from fleet.inventory.states import HostKeyState, ScanState
from fleet.management.commands.import_nodes import person
from fleet.management.naming import node_named


class Command(BaseCommand):
    """Without options it only shows. `--pin` names the fingerprint read on the node's console."""

    help = "Show, look at, and pin the host key of a node."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NODE is its name."""
        parser.add_argument("node")
        parser.add_argument("--scan", action="store_true", help="look at the host key first")
        parser.add_argument("--pin", metavar="SHA256:…", help="the fingerprint to trust")
        parser.add_argument("--by", metavar="EMAIL", help="who pins, for the change record")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, pin, show."""
        node = node_named(options["node"])
        actor = person(options["by"])
        outcome = ""
        if options["scan"]:
            outcome = self._look(ask_for_scan(node=node, actor=actor))
        if options["pin"]:
            self._pin(node, options["pin"], actor)
            node.refresh_from_db()
        self._show(node, outcome, as_json=options["json"])

    def _look(self, asked: KeyScan) -> str:
        """Look ourselves, or wait for the worker that was quicker."""
        deadline = time.monotonic() + WITHIN_S + 2
        looked = scan(asked.pk)
        while looked is None and time.monotonic() < deadline:
            time.sleep(0.2)
            asked.refresh_from_db()
            looked = None if asked.state == ScanState.QUEUED else asked
        return looked.outcome if looked else ""

    def _pin(self, node: Node, fingerprint: str, actor: Any) -> None:
        offered = open_keys(node).get(HostKeyState.OFFERED)
        if offered is None:
            raise CommandError("the node offers no key: look at it first with --scan")
        try:
            enrol(key=offered, fingerprint=fingerprint, actor=actor)
        except Refused as refused:
            raise CommandError(str(refused)) from refused

    def _show(self, node: Node, outcome: str, *, as_json: bool) -> None:
        keys = open_keys(node)
        pinned, offered = keys.get(HostKeyState.PINNED), keys.get(HostKeyState.OFFERED)
        told = {
            "node": node.name,
            "state": node.state,
            "scan": outcome or None,
            "pinned": pinned.fingerprint if pinned else None,
            "offered": offered.fingerprint if offered else None,
            "login_key": node.credential.public_key if node.credential else None,
        }
        if as_json:
            self.stdout.write(json.dumps(told, indent=2))
            return
        for name, value in told.items():
            self.stdout.write(f"{name:<10} {value or '–'}")
        if offered:
            self.stdout.write(
                "Compare on the node's console: ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub"
            )
