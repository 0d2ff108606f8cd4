"""The customer hears from us first: a ticket for every lease that an incident hurts."""

from datetime import datetime

from diagnostics.catalogue.load import FAULTS
from diagnostics.findings.models import Finding
from fleet.changes.errors import Refused
from fleet.leases.models import Lease
from tickets import talk
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.opening import open_ticket
from tickets.cases.states import LIVE, Author, Source
from tickets.incidents.models import Hit, Incident

FALLBACK = "complex"


def tell(incident: Incident, lease: Lease, finding: Finding, now: datetime) -> Ticket:
    """The ticket of this lease for this incident: the one it has, the customer's own report of the
    same fault, or a new one that says what we measured."""
    hit = Hit.objects.filter(incident=incident, lease=lease).select_related("ticket").first()
    if hit is not None and hit.ticket.state not in {"closed", "cancelled", "merged"}:
        return hit.ticket
    ticket = _reported(lease, finding.code) or _open(lease, finding, now)
    Hit.objects.update_or_create(incident=incident, lease=lease, defaults={"ticket": ticket})
    return ticket


def _reported(lease: Lease, code: str) -> Ticket | None:
    """A live ticket in which the customer has told us of it already."""
    rows = Ticket.objects.filter(lease=lease, code=code, state__in=LIVE)
    return rows.order_by("created_at").first()


def _open(lease: Lease, finding: Finding, now: datetime) -> Ticket:
    fault = FAULTS.get(finding.code)
    ticket = open_ticket(
        customer=lease.customer,
        lease=lease,
        subject="",
        code=finding.code,
        source=Source.ALERT,
        klass=(fault.sla_class if fault else "") or FALLBACK,
        at=max(now, finding.opened_at),
    )
    measured = talk.measured([finding], finding.opened_at)
    services.act(ticket, "message", author=Author.BOT, data=measured)
    return ticket


def tell_recovery(incident: Incident, at: datetime) -> None:
    """The fault has gone: tickets that it opened are solved by that."""
    for ticket in _born_of(incident):
        services.act(ticket, "source_recovered", author=Author.BOT, at=at)


def tell_return(incident: Incident, at: datetime) -> None:
    """The fault is back: its tickets are open again, as far as their contracts say so."""
    for ticket in _born_of(incident):
        try:
            services.act(ticket, "source_fired", author=Author.BOT, at=at)
        except Refused:  # too late for this contract: a new ticket will tell the customer
            Hit.objects.filter(incident=incident, ticket=ticket).delete()


def _born_of(incident: Incident) -> list[Ticket]:
    rows = Ticket.objects.filter(hits__incident=incident, source=Source.ALERT)
    return list(rows.exclude(state__in=("closed", "cancelled", "merged", "spam", "test")))
