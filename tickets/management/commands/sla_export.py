"""`sla_export --month YYYY-MM --format csv|xlsx|json [--customer ID]`: a month of tickets.

Exit codes: 0 written, 2 the month or the customer is wrong.
"""

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from fleet.changes.errors import Refused
from fleet.management.numbers import whole
from fleet.people.models import Customer
from tickets.cases.models import Ticket
from tickets.policies.services import default_policy
from tickets.reports.period import month
from tickets.reports.writing import FORMATS, export

WRONG = 2


class Command(BaseCommand):
    help = "Write a month of tickets with their clocks to standard output."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--month", required=True, help="such as 2026-04")
        parser.add_argument("--format", choices=sorted(FORMATS), default="csv")
        parser.add_argument("--customer", type=whole(1), help="only this customer's number")
        parser.add_argument("--zone", help="whose months; the default policy's if left out")
        parser.add_argument("--drill", action="store_true", help="of the drill, not the real fleet")

    def handle(self, **options: Any) -> None:
        zone = options["zone"] or default_policy().zone
        try:
            asked = month(options["month"], zone, timezone.now())
        except Refused as refused:
            raise CommandError(str(refused), returncode=WRONG) from refused
        tickets = Ticket.objects.filter(customer__simulated=options["drill"])
        if options["customer"]:
            self._check(options["customer"])
            tickets = tickets.filter(customer=options["customer"])
        for portion in export(options["format"], asked, tickets):
            sys.stdout.buffer.write(portion)
        sys.stdout.buffer.flush()

    def _check(self, customer: int) -> None:
        if not Customer.objects.filter(pk=customer).exists():
            raise CommandError(f"There is no customer {customer}.", returncode=WRONG)
