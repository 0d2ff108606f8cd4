"""A ticket while its events are walked through: what holds so far. Pure."""

from bisect import insort
from dataclasses import dataclass, field
from typing import NamedTuple

from tickets.sla.calendar import FOREVER, Hours, Span, union
from tickets.sla.events import Event, Key, Ticket
from tickets.sla.policy import Policy

WORD, ASKED, ANSWER, RESOLVE, DISMISS, END = "word", "asked", "answer", "resolve", "dismiss", "end"
MERGED, SPAM, TEST, CANCELLED = "merged", "spam", "test", "cancelled"
SELF_RECOVERED, AUTOMATED, NO_REPLY = "self_recovered", "automated", "no_customer_reply"


class Talk(NamedTuple):
    """A turn of the conversation, for the next-response clock."""

    key: Key
    kind: str


class Reply(NamedTuple):
    """What may stop the response clock: an answer, or a verified automated act."""

    key: Key
    automated: bool = False


class Change(NamedTuple):
    """From `at` on the ticket has this policy version and this class."""

    at: int
    policy: Policy
    klass: str


class Refusal(NamedTuple):
    """An event that was ignored, and why."""

    event: Event
    reason: str


class Exclusion(NamedTuple):
    """Since when a clock is out of every count, and why."""

    at: int
    reason: str


@dataclass(slots=True)
class Pause:
    """A pause; `gives_up` is when silence resolves the ticket. Open while `end` is None."""

    begin: int
    reason: str
    until: int | None = None
    gives_up: int | None = None
    end: int | None = None


@dataclass(slots=True)
class Rest:
    """A time in Resolved; in force while `end` is None. `ended_by` is what reopened the ticket."""

    begin: int
    reason: str
    end: int | None = None
    ended_by: Key | None = None


@dataclass(slots=True)
class Case:
    """A ticket that exists. `start` moves with merges, `own_start` never."""

    ticket: Ticket
    own_start: int
    policy: Policy
    klass: str
    marker: Key | None  # class changes before it fall away: the class as of creation came later
    start: int = field(init=False)
    changes: list[Change] = field(init=False)
    replies: list[Reply] = field(default_factory=list)
    talk: list[Talk] = field(default_factory=list)
    heard: list[Key] = field(default_factory=list)  # the customer's words, on merged tickets too
    pauses: list[Pause] = field(default_factory=list)
    rests: list[Rest] = field(default_factory=list)
    reclassed: list[int] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    consent_open: bool = False
    ended: Exclusion | None = None
    survivor: "Case | None" = None
    firing: bool = True
    recovered_at: int | None = None
    response_out: Exclusion | None = None
    resolution_out: Exclusion | None = None
    response_carried: list[int] = field(default_factory=list)
    resolution_carried: list[int] = field(default_factory=list)
    acknowledged_at: int | None = None

    def __post_init__(self) -> None:
        """The class and version of creation hold from the first moment."""
        self.start = self.own_start
        self.changes = [Change(-FOREVER, self.policy, self.klass)]

    @property
    def rest(self) -> Rest | None:
        """The resolve in force."""
        return self.rests[-1] if self.rests and self.rests[-1].end is None else None

    @property
    def alive(self) -> "Case":
        """This ticket, or the one that absorbed it."""
        case = self
        while case.survivor is not None:
            case = case.survivor
        return case

    @property
    def open_pauses(self) -> list[Pause]:
        """Pauses that hold the resolution clock now."""
        return [pause for pause in self.pauses if pause.end is None]

    @property
    def hours(self) -> list[tuple[int, Hours]]:
        """The calendars of its versions, each from when it holds."""
        return [(change.at, change.policy.hours) for change in self.changes]

    def policy_at(self, at: int) -> Policy:
        """The version it had at an instant."""
        return [change.policy for change in self.changes if change.at <= at][-1]

    def stopped(self, now: int) -> list[Span]:
        """Time that the resolution clock leaves out: pauses, and Resolved time that ended."""
        spans = [(pause.begin, now if pause.end is None else pause.end) for pause in self.pauses]
        spans += [(rest.begin, rest.end) for rest in self.rests if rest.end is not None]
        return union(spans)

    def closed(self, at: int) -> bool:
        """Whether it has been Resolved for longer than it may be reopened."""
        rest = self.rest
        return rest is not None and at - rest.begin > self.policy.reopen

    def say(self, key: Key, kind: str) -> None:
        """A turn of the conversation."""
        insort(self.talk, Talk(key, kind))

    def change(self, at: int, *, policy: Policy | None = None, klass: str | None = None) -> None:
        """From `at` on another version or another class."""
        self.policy = policy or self.policy
        self.klass = klass or self.klass
        self.changes.append(Change(at, self.policy, self.klass))

    def end_pauses(self, at: int, reason: str | None = None) -> None:
        """Every open pause, or those of one reason."""
        for pause in self.open_pauses:
            if reason is None or pause.reason == reason:
                pause.end = at

    def resolve(self, key: Key, reason: str) -> None:
        """Into Resolved."""
        self.end_pauses(key.at)
        self.consent_open = False
        self.rests.append(Rest(key.at, reason))
        self.say(key, RESOLVE)

    def reopen(self, key: Key) -> None:
        """Out of Resolved."""
        rest = self.rest
        if rest is not None:
            rest.end, rest.ended_by = key.at, key

    def finish(self, key: Key, reason: str) -> None:
        """The ticket ends for good."""
        self.end_pauses(key.at)
        self.ended = Exclusion(key.at, reason)
        self.say(key, END)
