"""Reads one event of a replay file. Pure."""

from tickets.sla.events import AUTHORS, BOT, CUSTOMER, STAFF, Event
from tickets.sla.fields import Fields, Wrong

BY_CUSTOMER = frozenset({"reopened", "cancelled"})
LOGGED = frozenset({"created", "message"})
NEEDS_TO = frozenset({"class_changed", "class_set"})
TARGET = {"merged_into": "into", "bounced": "of"}


def read_event(fields: Fields, kinds: frozenset[str]) -> Event:
    """One event of a ticket or an incident. Raises Wrong."""
    at = fields.instant("at")
    kind = fields.one_of("kind", kinds)
    logged_at = fields.maybe_instant("logged_at") if kind in LOGGED else None
    if logged_at is not None and logged_at < at:
        raise Wrong(fields.at("logged_at"), "lies before at")
    return Event(
        at=at,
        kind=kind,
        id=fields.maybe_text("id"),
        author=_author(fields, kind),
        text=fields.maybe_text("text") or "",
        public=fields.flag("public", True),
        channel=fields.maybe_text("channel") or "mail",
        to=_to(fields, kind),
        on_behalf=fields.flag("on_behalf", False),
        auto_submitted=fields.flag("auto_submitted", False),
        logged_at=logged_at,
        reason=_reason(fields, kind),
        until=fields.maybe_instant("until"),
        verified=_verified(fields, kind),
        starts_at=fields.maybe_instant("starts_at"),
        target=fields.text(TARGET[kind]) if kind in TARGET else "",
        version=_version(fields, kind),
        by=fields.maybe_text("by") or "",
    )


def _author(fields: Fields, kind: str) -> str:
    if kind == "message" or fields.get("author") is not None:
        return fields.one_of("author", AUTHORS)
    if kind in BY_CUSTOMER:
        return CUSTOMER
    return BOT if kind == "class_set" else STAFF


def _to(fields: Fields, kind: str) -> str | None:
    if kind == "corrected":
        return fields.text("class")
    if kind in NEEDS_TO:
        return fields.text("to")
    return fields.maybe_text("to")


def _reason(fields: Fields, kind: str) -> str | None:
    return fields.text("reason") if kind == "pause" else fields.maybe_text("reason")


def _verified(fields: Fields, kind: str) -> bool:
    if kind == "automated_done":
        fields.need("verified")
        return fields.flag("verified", False)
    return False


def _version(fields: Fields, kind: str) -> int:
    return fields.whole("version", least=-(2**63)) if kind == "policy_reapplied" else 0
