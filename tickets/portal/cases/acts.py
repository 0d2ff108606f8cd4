"""What a customer does with a ticket."""

from collections.abc import Iterable
from datetime import timedelta

from django.core.cache import cache
from django.utils import timezone
from django.utils.translation import gettext as _

from diagnostics.catalogue.load import FAULTS
from diagnostics.examine import services as examine
from diagnostics.examine.models import Watch
from diagnostics.findings.models import Finding
from diagnostics.findings.queries import findings_of_lease
from diagnostics.findings.states import FindingState
from fleet.changes.errors import Refused
from fleet.leases.models import Lease
from fleet.people.models import User
from tickets import talk
from tickets.cases import services
from tickets.cases.models import Ticket, TicketText
from tickets.cases.opening import open_ticket
from tickets.cases.states import Author, Source, TicketState
from tickets.ordering import ORDERS
from tickets.portal.cases.forms import ReportForm

GENERAL = "general"
FIRST_WORDS = 120
TWICE = timedelta(minutes=1)
HOUR_S = 3600
MOST_FACTS = 20
MOST_TICKETS, MOST_WORDS = 20, 120  # of one person in an hour


def report_by(form: ReportForm, *, by: User) -> Ticket | None:
    """Open what a valid form says; what is refused stands above it."""
    try:
        return report(**form.cleaned_data, by=by)
    except Refused as refused:
        form.add_error(None, str(refused))
        return None


def report(*, lease: Lease, body: str, by: User) -> Ticket:
    """A ticket in one sentence: its class follows the worst fault we know of on the instance, and
    the host is examined again at once. Raises Refused."""
    opened = _pressed_twice(lease, body, by)
    if opened is not None:
        return opened
    _check_rate(by, "tickets", MOST_TICKETS)
    found = list(findings_of_lease(by, lease).filter(state=FindingState.OPEN)[:MOST_FACTS])
    root = worst(found)
    fault = FAULTS.get(root.code) if root else None
    ticket = open_ticket(
        customer=lease.customer,
        lease=lease,
        subject=_shortened(body),
        source=Source.PORTAL,
        klass=fault.sla_class if fault and fault.sla_class else GENERAL,
        code=fault.code if fault else "",
        body=body,
        actor=by,
    )
    watch = Watch.objects.filter(node=lease.node_id).first()
    measured = talk.measured(found, watch.examined_at if watch else None)
    services.act(ticket, "message", author=Author.BOT, data=measured)
    examine.ask(lease.node, by=by)
    return ticket


def _pressed_twice(lease: Lease, body: str, by: User) -> Ticket | None:
    """The ticket that the same words opened a moment ago: a second press opens no second one."""
    just_now = timezone.now() - TWICE
    texts = TicketText.objects.filter(created_at__gte=just_now, body=body)
    mine = Ticket.objects.filter(lease=lease, opened_by=by.pk, created_at__gte=just_now)
    return mine.filter(pk__in=texts.values("ticket")).first()


def worst(found: Iterable[Finding]) -> Finding | None:
    """The root that weighs most, the oldest of several."""
    order = ORDERS["severity"]
    roots = [each for each in found if each.root_id is None]
    return min(
        roots,
        key=lambda each: (
            order.index(each.severity) if each.severity in order else len(order),
            each.opened_at,
        ),
        default=None,
    )


def _shortened(body: str) -> str:
    """The first line, or as much of it as a list can show."""
    first = next((line.strip() for line in body.splitlines() if line.strip()), "")
    return first if len(first) <= FIRST_WORDS else first[: FIRST_WORDS - 1].rstrip() + "…"


def _check_rate(by: User, what: str, most: int) -> None:
    """So many an hour for one person. Raises Refused."""
    key = f"rate:{what}:{by.pk}:{int(timezone.now().timestamp()) // HOUR_S}"
    cache.add(key, 0, 2 * HOUR_S)
    try:
        count = cache.incr(key)
    except ValueError:  # the cache lost it: better one too many than none
        return
    if count > most:
        raise Refused(_("You have sent a lot within one hour. Please go on in the next one."))


def say(ticket: Ticket, *, body: str, by: User) -> None:
    """A further message. Raises Refused."""
    _check_rate(by, "words", MOST_WORDS)
    services.customer_says(ticket, body=body, actor=by)


def confirm(ticket: Ticket, *, by: User) -> None:
    """It works: the conversation says so, once. Raises Refused."""
    if ticket.state != TicketState.RESOLVED:
        raise Refused(_("The ticket is not resolved."))
    said = ticket.events.filter(kind="note", author=Author.CUSTOMER, at__gte=ticket.resolution_at)
    if not said.exists():
        services.act(ticket, "note", author=Author.CUSTOMER, actor=by, data={"works": True})


def fails(ticket: Ticket, *, body: str, by: User) -> None:
    """It does not work: the ticket is reopened. Raises Refused."""
    services.reopen(ticket, actor=by, by_customer=True, body=body)


def withdraw(ticket: Ticket, *, by: User) -> None:
    """Taken back. Raises Refused."""
    services.withdraw(ticket, actor=by)
