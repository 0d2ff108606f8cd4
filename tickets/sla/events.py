"""What happens to a ticket: facts in the order in which they count. Pure."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from tickets.sla.policy import Policy

STAFF, CUSTOMER, BOT = "staff", "customer", "bot"
AUTHORS = frozenset({STAFF, CUSTOMER, BOT})
SOURCES = frozenset({"portal", "mail", "chat", "phone", "alert", "staff"})
WAITING_INFO, WAITING_CONSENT, HOLD = (
    "waiting_customer_info",
    "waiting_customer_consent",
    "customer_requested_hold",
)
PAUSE_REASONS = frozenset({WAITING_INFO, WAITING_CONSENT, HOLD})
# At one instant our acts come before the customer's, so that their word is never lost.
ORDER: Final = (
    "corrected",
    "policy_reapplied",
    "class_changed",
    "staff message",
    "broadcast",
    "resume",
    "pause",
    "consent_asked",
    "merged_into",
    "automated_done",
    "source_recovered",
    "resolved",
    "source_fired",
    "dismissed",
    "reopened",
    "customer message",
    "consent_granted",
    "consent_declined",
    "cancelled",
    "spam",
    "test",
)
RANKS = {kind: rank for rank, kind in enumerate(ORDER)}
SILENT = frozenset({"created", "received", "note", "assigned", "state", "acknowledged"})
KINDS = frozenset(ORDER) - {"staff message", "customer message"} | SILENT
KINDS |= {"message", "bounced", "class_set"}
INCIDENT_KINDS = frozenset({"source_fired", "source_recovered", "acknowledged", "broadcast"})
TICKET_KINDS = KINDS - {"broadcast"}


@dataclass(frozen=True, slots=True)
class Event:
    """One fact. Which fields matter depends on `kind`; the file format's page has the table.

    `to` is the class of a change or the customer a text is for; `target` the ticket of a merge or
    the event of a bounce; `said_class` and `by` belong to a correction.
    """

    at: int
    kind: str
    id: str | None = None
    author: str = STAFF
    text: str = ""
    public: bool = True
    channel: str = "mail"
    to: str | None = None
    on_behalf: bool = False
    auto_submitted: bool = False
    logged_at: int | None = None
    reason: str | None = None
    until: int | None = None
    verified: bool = False
    starts_at: int | None = None
    target: str = ""
    version: int = 0
    by: str = ""

    @property
    def known_at(self) -> int:
        """When we learnt of it: before this it has not happened."""
        return self.at if self.logged_at is None else self.logged_at

    @property
    def by_customer(self) -> bool:
        """A customer's message, or one that staff wrote down for them; no auto-reply."""
        mine = self.author == CUSTOMER or self.on_behalf
        return self.kind == "message" and mine and not self.auto_submitted

    @property
    def staff_call(self) -> bool:
        """A call of ours on the phone, perhaps written down later."""
        return (
            self.kind == "message"
            and self.author == STAFF
            and self.channel == "phone"
            and not self.on_behalf
        )

    def is_text_for(self, customer: str) -> bool:
        """A person of ours wrote something that this customer may read."""
        human = self.author == STAFF and not self.auto_submitted and not self.on_behalf
        addressed = self.to is None or self.to == customer
        return human and addressed and self.public and bool(self.text.strip())

    @property
    def rank(self) -> int:
        """Its place among events of one instant."""
        if self.kind == "message":
            return RANKS["customer message" if self.by_customer else "staff message"]
        return RANKS.get(self.kind, 0)


class Key(NamedTuple):
    """The order of everything: instant, rank, ticket, event (one without id first, by content)."""

    at: int
    rank: int
    ticket: str
    id: str
    content: str = ""


def key(event: Event, ticket: str, at: int) -> Key:
    """Where an event of `ticket` that counts at `at` stands."""
    return Key(at, event.rank, ticket, event.id or "", "" if event.id else repr(event))


@dataclass(frozen=True, slots=True)
class Ticket:
    """A ticket as it was made, and all that happened to it, in any order. `policies` are the
    versions of its own contract; without any those of all tickets hold."""

    id: str
    customer: str
    klass: str
    source: str
    events: tuple[Event, ...]
    has_portal_login: bool = True
    parent: str | None = None
    policies: tuple[Policy, ...] = ()


@dataclass(frozen=True, slots=True)
class Incident:
    """A fault that several tickets may share."""

    id: str
    events: tuple[Event, ...]
