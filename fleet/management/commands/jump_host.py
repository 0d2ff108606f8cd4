"""Add or change a bastion in front of nodes; its host key is pinned by naming it here."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.changes.errors import Refused
from fleet.inventory.services import put_jump_host
from fleet.management.commands.import_nodes import person
from fleet.management.numbers import whole


class Command(BaseCommand):
    """The login key is our default one: allow its public part on the bastion."""

    help = "Add or change a bastion in front of nodes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """NAME is what lists of nodes call it."""
        parser.add_argument("name")
        parser.add_argument("address")
        parser.add_argument("--port", type=whole(1, 65535), default=22)
        parser.add_argument("--host-key", required=True, help="'algorithm base64' of its host key")
        parser.add_argument("--by", metavar="EMAIL", help="who adds it, for the change record")
        parser.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Write it and show the key to allow on it."""
        try:
            jump = put_jump_host(
                name=options["name"],
                address=options["address"],
                port=options["port"],
                host_key=options["host_key"],
                actor=person(options["by"]),
            )
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        told = {"name": jump.name, "login_key": jump.credential.public_key}
        self.stdout.write(json.dumps(told) if options["json"] else f"{told['login_key']}")
