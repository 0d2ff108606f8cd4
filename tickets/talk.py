"""A ticket's conversation on a page: who said what, and what was done, in order."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from diagnostics.findings.models import Finding
from fleet.people.models import User
from tickets import wording
from tickets.cases.models import Ticket, TicketEvent, TicketText
from tickets.cases.states import Author

WORKS, FACTS = "works", "facts"
# What stands beside a text, and what is told without one.
ACTS: dict[str, str | Promise] = {
    "created": gettext_lazy("Ticket opened"),
    "pause": gettext_lazy("Question: the resolution clock waits for the customer"),
    "consent_asked": gettext_lazy("Question: may we do this?"),
    "consent_granted": gettext_lazy("The customer agreed"),
    "consent_declined": gettext_lazy("The customer declined"),
    "resume": gettext_lazy("The resolution clock runs again"),
    "resolved": gettext_lazy("Resolved"),
    "automated_done": gettext_lazy("Done automatically and verified"),
    "source_recovered": gettext_lazy("The fault has gone"),
    "source_fired": gettext_lazy("The fault is back"),
    "reopened": gettext_lazy("Reopened"),
    "dismissed": gettext_lazy("No answer needed"),
    "cancelled": gettext_lazy("Withdrawn by the customer"),
    "class_changed": gettext_lazy("Another class"),
    "class_set": gettext_lazy("Class found by the examination"),
    "corrected": gettext_lazy("Class corrected from the start"),
    "merged_into": gettext_lazy("Merged into another ticket"),
    "acknowledged": gettext_lazy("Acknowledged"),
    "assigned": gettext_lazy("Assigned"),
    FACTS: gettext_lazy("What we measured when the ticket was opened"),
    WORKS: gettext_lazy("The customer says that it works"),
    "spam": gettext_lazy("Marked as spam"),
    "test": gettext_lazy("Marked as a test"),
}
FOR_STAFF = frozenset(
    {"note", "acknowledged", "assigned", "dismissed", "corrected", "merged_into", "spam", "test"}
)


@dataclass(frozen=True, slots=True)
class Line:
    """One entry. `css` tells whose it is: ours, theirs, internal, or an act without words."""

    id: int
    css: str
    who: str
    at: datetime
    act: str
    text: str
    facts: tuple[str, ...]
    erased: bool
    internal: bool


def measured(found: Iterable[Finding], examined_at: datetime | None) -> dict[str, object]:
    """The data of a message that says what stood open, as keys and values of its readings."""
    return {
        FACTS: [
            {"code": each.code, "reason": each.reason, "values": each.values} for each in found
        ],
        "examined_at": examined_at.isoformat() if examined_at else None,
    }


def lines(ticket: Ticket, reader: User, *, staff: bool) -> list[Line]:
    """The conversation, the oldest first (three queries). Customers never read what is internal."""
    rows = list(ticket.events.order_by("at", "pk"))
    shown = [row for row in rows if staff or _is_open(row)]
    texts = dict(TicketText.objects.filter(ticket=ticket).values_list("pk", "body"))
    people = _names(row.actor_id for row in shown)
    return [_line(row, texts, people, reader, staff=staff) for row in shown if _is_told(row, staff)]


def _is_open(row: TicketEvent) -> bool:
    return row.public and _act_of(row) not in FOR_STAFF


def _act_of(row: TicketEvent) -> str:
    """What was done; a customer's “it works” is a note, what we measured a machine's message."""
    return next((name for name in (WORKS, FACTS) if name in row.data), row.kind)


def _is_told(row: TicketEvent, staff: bool) -> bool:
    return row.worded or _act_of(row) in ACTS


def _names(numbers: Iterable[int | None]) -> Mapping[int, User]:
    asked = {number for number in numbers if number is not None}
    return User.objects.in_bulk(asked) if asked else {}


def _line(
    row: TicketEvent,
    texts: Mapping[int, str],
    people: Mapping[int, User],
    reader: User,
    *,
    staff: bool,
) -> Line:
    text = texts.get(row.text_id or 0, "")
    theirs = row.author == Author.CUSTOMER or row.data.get("on_behalf", False)
    internal = not row.public or _act_of(row) == "note"
    side = "internal" if internal else "theirs" if theirs else "ours"
    return Line(
        id=row.pk,
        css=side if row.worded else "act",
        who=_who(row, people.get(row.actor_id or 0), reader, staff=staff),
        at=row.at,
        act=_act(row),
        text=text,
        facts=_facts(row) if FACTS in row.data else (),
        erased=row.worded and not text,
        internal=internal,
    )


def _act(row: TicketEvent) -> str:
    """What was done, and why, where a rule decided."""
    said = str(ACTS.get(_act_of(row), ""))
    if row.kind != "class_set":
        return said
    because = {"act": said, "fault": wording.fault_text(row.data.get("code", "")).title}
    return _("%(act)s: %(fault)s") % because


def _facts(row: TicketEvent) -> tuple[str, ...]:
    """What stood open then, each with the reading that decided; or that we saw nothing."""
    found = row.data.get(FACTS) or []
    told = [
        _("%(fault)s: %(reading)s")
        % {
            "fault": wording.fault_text(each["code"]).title,
            "reading": wording.sentence(each["reason"], each["values"]),
        }
        for each in found
    ]
    return tuple(told) or (_("We saw nothing wrong with the host and the ports."),)


def _who(row: TicketEvent, person: User | None, reader: User, *, staff: bool) -> str:
    if row.author == Author.BOT:
        return "Halfhour"
    if person is not None and person.pk == reader.pk:
        return _("You")
    if row.author == Author.STAFF and not staff:
        return _("Halfhour staff") if person is None else str(person)
    return str(person) if person is not None else _("Somebody")
