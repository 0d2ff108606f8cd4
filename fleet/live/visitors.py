"""Who looks at a page live, and whether they still may. Runs in the rendering threads."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.contrib import auth
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.http import HttpRequest
from django.utils import timezone

from fleet.people.models import User


@dataclass(frozen=True, slots=True)
class Visitor:
    """One signed-in browser: the session it came with, and what that session was worth then."""

    user_id: int
    session_key: str
    session_hash: str


def identify(session_key: str) -> Visitor | None:
    """Who this session belongs to, exactly as a page view would decide; None for a stranger."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    user = auth.get_user(request)
    if not isinstance(user, User) or not user.is_active:
        return None
    return Visitor(user.pk, session_key, user.get_session_auth_hash())


def still_here(visitors: Iterable[Visitor]) -> dict[Visitor, User]:
    """Those whose session and account still hold, with the user as they are now. Two queries."""
    asked = set(visitors)
    sessions = set(
        Session.objects.filter(
            session_key__in={visitor.session_key for visitor in asked},
            expire_date__gt=timezone.now(),
        ).values_list("session_key", flat=True)
    )
    users = User.objects.filter(is_active=True).in_bulk({visitor.user_id for visitor in asked})
    return {
        visitor: users[visitor.user_id]
        for visitor in asked
        if visitor.session_key in sessions
        and visitor.user_id in users
        and users[visitor.user_id].get_session_auth_hash() == visitor.session_hash
    }


def session_cookie(cookies: dict[str, str]) -> str:
    """The session key a browser sent, or empty."""
    return cookies.get(settings.SESSION_COOKIE_NAME, "")
