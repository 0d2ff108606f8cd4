"""Imports leases from the order system's table: the same rows again only confirm."""

from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.inventory.importing.report import Outcome, Report, RowReport
from fleet.inventory.importing.running import run_rows
from fleet.inventory.importing.table import TableRow, check_shape, read_table
from fleet.leases.cells import COLUMNS, REQUIRED, read_lease_facts
from fleet.leases.services import reconcile, upsert_lease
from fleet.people.customers import add_customer
from fleet.people.models import Customer, User


@dataclass(frozen=True, slots=True)
class LeaseWish:
    """How to import leases.

    `zone` serves times without one. `complete`: the list is all there is, so what it lacks is
    named, and with `end_missing` ended. `new_customers` adds customers we do not know.
    """

    zone: ZoneInfo | None = None
    dry_run: bool = True
    all_or_nothing: bool = False
    complete: bool = False
    end_missing: bool = False
    new_customers: bool = False
    actor: User | None = None


OUTCOMES: dict[str, Outcome] = {
    "created": "created",
    "updated": "updated",
    "unchanged": "unchanged",
    "stale": "skipped",
}


def import_leases(text: str, wish: LeaseWish) -> Report:
    """Import a table of leases. Raises BadFile when it cannot be read at all."""
    rows = read_table(text, columns=COLUMNS, required=REQUIRED)
    importer = _Importer(wish)
    report = run_rows(
        rows, importer.apply, dry_run=wish.dry_run, all_or_nothing=wish.all_or_nothing
    )
    if not wish.complete:
        return report
    listed = [row.cells["order_id"] for row in rows if "order_id" in row.cells]
    end = wish.end_missing and not report.dry_run
    missing = reconcile(listed=listed, end=end, actor=wish.actor)
    sentences = (
        _("Lease %(order)s is not in the list and was ended."),
        _("Lease %(order)s is not in the list."),
    )
    notes = [sentences[0 if end else 1] % {"order": lease.order_id} for lease in missing]
    return replace(report, notes=[*report.notes, *notes])


class _Importer:
    """Applies rows one by one and remembers the numbers it has seen."""

    def __init__(self, wish: LeaseWish) -> None:
        self._wish = wish
        self._lines: dict[str, int] = {}

    def apply(self, row: TableRow) -> RowReport:
        """One row. Raises Refused; the caller undoes the row."""
        check_shape(row)
        order_id = row.cells.get("order_id")
        if order_id is None:
            raise Refused({"order_id": _("This cell must not be empty.")})
        first = self._lines.setdefault(order_id, row.line)
        if first != row.line:
            raise Refused({"order_id": _("Line %(line)d names this lease too.") % {"line": first}})
        facts = read_lease_facts(row.cells, self._wish.zone)
        report = RowReport(row.line, row.name, "unchanged")
        name = facts.get("customer")
        if self._wish.new_customers and name and not Customer.objects.filter(name=name).exists():
            add_customer(name=name, actor=self._wish.actor)
            report.notes.append(_("New customer: %(name)s.") % {"name": name})
        done = upsert_lease(order_id=order_id, actor=self._wish.actor, **facts)
        report.outcome = OUTCOMES[done.outcome]
        report.changes = sorted(done.changes)
        if done.outcome == "stale":
            report.notes.append(_("We already have newer word about this lease."))
        return report
