"""Make, list and revoke tokens of the API."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from fleet.changes.errors import Refused
from fleet.management.commands.import_nodes import person
from fleet.management.numbers import whole
from fleet.people.models import ApiToken
from fleet.people.tokens import SCOPES, create_token, revoke_token


class Command(BaseCommand):
    """A secret is printed once, when the token is made."""

    help = "Make, list and revoke tokens of the API."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """One of three acts."""
        acts = parser.add_subparsers(dest="act", required=True)
        create = acts.add_parser("create", help="make a token and print its secret once")
        create.add_argument("email", help="the person it acts as")
        create.add_argument("name", help="what it is for")
        create.add_argument(
            "scopes", nargs="+", choices=SCOPES, metavar="SCOPE", help=" ".join(SCOPES)
        )
        lists = acts.add_parser("list", help="list tokens, never their secrets")
        lists.add_argument("email", nargs="?", help="only of this person")
        revoke = acts.add_parser("revoke", help="end a token now")
        revoke.add_argument("id", type=whole(1))
        for act in (create, lists, revoke):
            act.add_argument("--json", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do the act and print what there is to know."""
        if options["act"] == "create":
            told = self._create(options)
        elif options["act"] == "revoke":
            told = [self._revoke(options["id"])]
        else:
            owner = person(options["email"])
            rows = ApiToken.objects.select_related("user").order_by("pk")
            told = [_told(row) for row in (rows.filter(user=owner) if owner else rows)]
        if options["json"]:
            self.stdout.write(json.dumps(told, indent=2))
        else:
            for row in told:
                secret = row.pop("secret", "")
                self.stdout.write("  ".join(str(value or "–") for value in row.values()))
                if secret:
                    self.stdout.write(f"secret, shown this once only: {secret}")

    def _create(self, options: dict[str, Any]) -> list[dict[str, Any]]:
        owner = person(options["email"])
        if owner is None:
            raise CommandError("whose token?")
        try:
            token, secret = create_token(user=owner, name=options["name"], scopes=options["scopes"])
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        return [_told(token) | {"secret": secret}]

    def _revoke(self, pk: int) -> dict[str, Any]:
        token = ApiToken.objects.select_related("user").filter(pk=pk).first()
        if token is None:
            raise CommandError(f"there is no token {pk}")
        return _told(revoke_token(token=token))


def _told(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.pk,
        "email": token.user.email,
        "name": token.name,
        "scopes": " ".join(token.scopes),
        "created_at": token.created_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
        "revoked_at": token.revoked_at.isoformat() if token.revoked_at else None,
    }
