"""What each kind of event does to a ticket, or why it does nothing. Pure."""

from collections.abc import Callable, Mapping

from tickets.sla.case import (
    ASKED,
    AUTOMATED,
    CANCELLED,
    NO_REPLY,
    SELF_RECOVERED,
    SPAM,
    TEST,
    WORD,
    Case,
    Exclusion,
    Pause,
    Reply,
)
from tickets.sla.clocks import resolution, response
from tickets.sla.events import CUSTOMER, PAUSE_REASONS, WAITING_CONSENT, WAITING_INFO, Event, Key
from tickets.sla.policy import Policy

RESERVED = frozenset({AUTOMATED, SELF_RECOVERED, NO_REPLY})
WAITING = frozenset({WAITING_INFO, WAITING_CONSENT})
Act = Callable[[Case, Event, Key], str]


def delivered(case: Case, event: Event, bounced: frozenset[str]) -> str:
    """Why a text did not reach this customer: no text of a person's, or not delivered."""
    ticket = case.ticket
    if not event.is_text_for(ticket.customer):
        return "no_public_text"
    returned = event.channel == "portal" or (event.id is not None and event.id in bounced)
    return "not_delivered" if returned and not ticket.has_portal_login else ""


def pause(case: Case, event: Event, at: Key, undelivered: str) -> str:
    """Stop the resolution clock, with a question to the customer."""
    if case.rest:
        return "not_open"
    consent = event.kind == "consent_asked"
    reason = WAITING_CONSENT if consent else event.reason or ""
    if reason not in PAUSE_REASONS:
        return "reason_not_allowed"
    if undelivered:
        return undelivered
    if event.until is not None and event.until <= at.at:
        return "bad_until"
    gives_up = at.at + case.policy.no_reply if reason in WAITING else None
    case.pauses.append(Pause(at.at, reason, event.until, gives_up))
    case.consent_open = case.consent_open or consent
    return ""


def resume(case: Case, event: Event, at: Key) -> str:
    """End the pauses of one reason, or all."""
    if not any(event.reason in {None, each.reason} for each in case.open_pauses):
        return "not_paused"
    case.end_pauses(at.at, event.reason)
    return ""


def decide(case: Case, event: Event, at: Key) -> str:
    """The customer grants or declines."""
    if not case.consent_open:
        return "no_open_consent"
    case.consent_open = False
    case.end_pauses(at.at)
    return ""


def resolve(case: Case, event: Event, at: Key, undelivered: str) -> str:
    """Staff say that it is solved."""
    if case.rest:
        return "already_resolved"
    reason = event.reason or "fixed"
    if reason in RESERVED:
        return "reserved_reason"
    if undelivered:
        return undelivered
    case.resolve(at, reason)
    return ""


def automated_done(case: Case, event: Event, at: Key) -> str:
    """A verified act of a machine fulfils what a self-service class promises."""
    if case.rest:
        return "already_resolved"
    if not case.policy.classes[case.klass].self_service:
        return "not_self_service"
    if not event.verified:
        return "not_verified"
    if not case.replies:
        case.replies.append(Reply(at, automated=True))
    case.resolve(at, AUTOMATED)
    return ""


def source_recovered(case: Case, event: Event, at: Key) -> str:
    """The alert stops firing; a ticket that is open is solved by that."""
    if case.ticket.source != "alert" or not case.firing:
        return ""
    case.firing, case.recovered_at = False, at.at
    if case.rest is None:
        _exclude_response(case, at, SELF_RECOVERED)
        case.resolve(at, SELF_RECOVERED)
    return ""


def source_fired(case: Case, event: Event, at: Key) -> str:
    """The alert fires again."""
    if case.ticket.source != "alert" or case.firing:
        return ""
    if at.at - (case.recovered_at or 0) > case.policy.flap:
        return "flap_window"
    case.firing = True
    case.flags.add("flap")
    if case.response_out and case.response_out.reason == SELF_RECOVERED:
        case.response_out = None
    case.reopen(at)
    return ""


def reopened(case: Case, event: Event, at: Key) -> str:
    """Somebody says that it is not solved."""
    if case.rest is None:
        return "not_resolved"
    case.reopen(at)
    case.flags.add("reopened")
    if event.author == CUSTOMER:
        case.say(at, ASKED)
    return ""


def customer_word(case: Case, at: Key, *, courtesy: bool) -> None:
    """A message of the customer. One that was later dismissed as a courtesy reopens nothing."""
    if case.rest and not courtesy:
        case.reopen(at)
        case.flags.add("reopened")
    case.end_pauses(at.at)
    case.heard.append(at)
    case.say(at, WORD)


def class_changed(case: Case, event: Event, at: Key) -> str:
    """Another class from here on."""
    if case.rest:
        return "not_open"
    if event.to not in case.policy.classes:
        return "unknown_class"
    falls_away = case.marker is not None and at < case.marker
    if event.to != case.klass and not falls_away:
        case.change(at.at, klass=event.to)
        case.reclassed.append(at.at)
    return ""


def reapply(case: Case, policy: Policy | None, at: Key) -> str:
    """Another version of the policy from here on."""
    if case.rest:
        return "not_open"
    if policy is None or policy.effective_at > at.at:
        return "unknown_version"
    if case.klass not in policy.classes:
        return "unknown_class"
    case.change(at.at, policy=policy)
    return ""


def cancelled(case: Case, event: Event, at: Key) -> str:
    """The customer withdraws."""
    if case.rest:
        return "not_open"
    if event.author != CUSTOMER:
        return "not_customer"
    _exclude_response(case, at, CANCELLED)
    if not resolution(case, at.at).breached:
        case.resolution_out = Exclusion(at.at, CANCELLED)
    case.finish(at, CANCELLED)
    return ""


def marked(case: Case, event: Event, at: Key) -> str:
    """It was spam, or a test."""
    if response(case, at.at).breached or resolution(case, at.at).breached:
        case.flags.add("excluded_after_breach")
    case.finish(at, event.kind)
    return ""


def _exclude_response(case: Case, at: Key, reason: str) -> None:
    undecided = not case.replies and case.response_out is None
    if undecided and not response(case, at.at).breached:
        case.response_out = Exclusion(at.at, reason)


ACTS: Mapping[str, Act] = {
    "resume": resume,
    "consent_granted": decide,
    "consent_declined": decide,
    "automated_done": automated_done,
    "source_recovered": source_recovered,
    "source_fired": source_fired,
    "reopened": reopened,
    "class_changed": class_changed,
    "cancelled": cancelled,
    SPAM: marked,
    TEST: marked,
}
