"""Appends events to tickets; `services` and `opening` decide which."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone

from fleet.people.models import User
from tickets.cases.models import Ticket, TicketEvent, TicketText

BACKDATED = frozenset({"created", "message"})


def latest(at: datetime, logged_at: datetime | None) -> datetime:
    """As of when to settle: now, even if the act itself was earlier."""
    return max(timezone.now(), at, logged_at or at)


def append(
    ticket: Ticket,
    kind: str,
    *,
    author: str,
    actor: User | None,
    at: datetime,
    logged_at: datetime | None = None,
    body: str = "",
    public: bool = True,
    channel: str = "portal",
    data: Mapping[str, Any] | None = None,
) -> TicketEvent:
    """One event, and its text if it has any. Call `settle` afterwards."""
    text = TicketText.objects.create(ticket=ticket, body=body) if body.strip() else None
    return TicketEvent.objects.create(
        ticket=ticket,
        at=at,
        logged_at=logged_at if kind in BACKDATED else None,
        kind=kind,
        author=author,
        actor_id=actor.pk if actor else None,
        text_id=text.pk if text else None,
        worded=text is not None,
        public=public,
        channel=channel,
        data=dict(data or {}),
    )
