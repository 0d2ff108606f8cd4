"""How the API knows a caller: a bearer token with a scope, and so many calls a minute."""

from django.core.cache import cache
from django.http import HttpRequest
from django.utils import timezone
from ninja.security import HttpBearer

from fleet.people.models import ApiToken, User
from fleet.people.tokens import find_token

CALLS_A_MINUTE = 600  # for one token


class NoToken(Exception):
    """No token, or one that is not in force."""


class NoScope(Exception):
    """The token is good and may not do this. `scope` is what it lacks."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class TooManyCalls(Exception):
    """The token called too often. `wait` is seconds until it may call again."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


class CallerRequest(HttpRequest):
    """A request of the API, once the caller is known."""

    auth: ApiToken
    user: User


class Bearer(HttpBearer):
    """Lets a token with `scope` in and puts its person into `request.user`."""

    def __init__(self, scope: str) -> None:
        super().__init__()
        self.scope = scope

    def __call__(self, request: HttpRequest) -> ApiToken:
        """Raises NoToken, TooManyCalls, NoScope."""
        kind, _space, secret = request.headers.get("Authorization", "").partition(" ")
        if kind.lower() != "bearer" or not secret.strip():
            raise NoToken
        return self.authenticate(request, secret.strip())

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken:
        """The token of this secret."""
        found = find_token(token)
        if found is None:
            raise NoToken
        _count(found)
        if self.scope not in found.scopes:
            raise NoScope(self.scope)
        request.user = found.user
        return found


def _count(token: ApiToken) -> None:
    """Count this call against the minute. The cache outlives a lost broker (config.cache)."""
    second = int(timezone.now().timestamp())
    key = f"api-calls:{token.pk}:{second // 60}"
    cache.add(key, 0, timeout=120)
    try:
        calls = cache.incr(key)
    except ValueError:  # the cache dropped the key between the two
        return
    if calls > CALLS_A_MINUTE:
        raise TooManyCalls(60 - second % 60)
