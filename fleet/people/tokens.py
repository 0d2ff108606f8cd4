"""Programs' keys to the API: made, shown once, checked, revoked. Only a digest is kept."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.people.models import ApiToken, User

SCOPES = ("nodes:read", "leases:read", "leases:write", "findings:read", "events:read")
PREFIX = "hh_"
SEEN_EVERY = timedelta(minutes=1)


def create_token(
    *, user: User, name: str, scopes: Iterable[str], actor: User | None = None
) -> tuple[ApiToken, str]:
    """Make a token; the second value is the secret, which nobody can read again.

    Raises Refused for no name, no scope, or a scope that does not exist.
    """
    wanted = sorted(set(scopes))
    unknown = [scope for scope in wanted if scope not in SCOPES]
    if unknown or not wanted:
        raise Refused(
            {"scopes": _("Scopes are one or more of: %(words)s.") % {"words": ", ".join(SCOPES)}}
        )
    if not 0 < len(name.strip()) <= 80:
        raise Refused({"name": _("A token needs a name of 1 to 80 characters.")})
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        token = ApiToken.objects.create(
            user=user, name=name.strip(), digest=digest_of(secret), scopes=wanted
        )
        data = {"token": token.pk, "user": user.pk, "scopes": wanted}
        record(kind="token_created", actor=actor or user, data=data)
    return token, secret


def digest_of(secret: str) -> str:
    """SHA-256; a token of 256 random bits needs no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def find_token(secret: str) -> ApiToken | None:
    """The token in force with this secret, of a person who is still active; notes its use.

    The note is written at most once a minute, so that reading does not mean writing.
    """
    token = (
        ApiToken.objects.select_related("user")
        .filter(digest=digest_of(secret), revoked_at=None, user__is_active=True)
        .first()
    )
    if token is not None:
        now = timezone.now()
        quiet = Q(last_used_at=None) | Q(last_used_at__lt=now - SEEN_EVERY)
        ApiToken.objects.filter(quiet, pk=token.pk).update(last_used_at=now)
    return token


def revoke_token(*, token: ApiToken, actor: User | None = None) -> ApiToken:
    """End a token now. A token already revoked keeps its time."""
    now = timezone.now()
    with transaction.atomic():
        if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=now):
            token.revoked_at = now
            record(kind="token_revoked", actor=actor, data={"token": token.pk})
    return token


def tokens_of(user: User) -> QuerySet[ApiToken]:
    """All tokens of a person, newest first."""
    return ApiToken.objects.filter(user=user).order_by("-pk")
