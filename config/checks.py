"""What must be right before Halfhour starts, as numbered system checks."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.apps import apps
from django.conf import settings
from django.core import checks
from django.db import DatabaseError, connection

SQLITE_NODES = 50
SCHEMES = {"redis", "rediss"}


def keys(**_: Any) -> list[checks.CheckMessage]:
    """fleet.E001, E002: the keys that encrypt credentials."""
    if not settings.HALFHOUR_KEYS:
        hint = (
            "An installation keeps its keys in its data folder: set HALFHOUR_DATA to it. Without"
            " one, set HALFHOUR_KEYS to Fernet keys, separated by commas; the first one encrypts."
        )
        return [checks.Error("HALFHOUR_KEYS is empty.", hint=hint, id="fleet.E001")]
    found: list[checks.CheckMessage] = []
    for place, key in enumerate(settings.HALFHOUR_KEYS, 1):
        try:
            Fernet(key)
        except ValueError:
            text = f"Key {place} of HALFHOUR_KEYS is not 32 bytes in URL-safe base64."
            found.append(checks.Error(text, id="fleet.E002"))
    return found


def broker(**_: Any) -> list[checks.CheckMessage]:
    """fleet.E003: processes can only talk to each other through a server."""
    if urlsplit(settings.REDIS_URL).scheme in SCHEMES:
        return []
    text = "REDIS_URL must be the address of a Valkey or Redis server (redis://…, rediss://…)."
    return [checks.Error(text, id="fleet.E003")]


def hosts(**_: Any) -> list[checks.CheckMessage]:
    """fleet.E004: a host name nobody checks lets strangers build links in our name."""
    if "*" not in settings.ALLOWED_HOSTS:
        return []
    return [checks.Error("ALLOWED_HOSTS must name hosts, not *.", id="fleet.E004")]


def size(*, databases: Sequence[str] | None = None, **_: Any) -> list[checks.CheckMessage]:
    """fleet.W001: SQLite is the tier up to 50 nodes."""
    if not databases or connection.vendor != "sqlite":
        return []
    try:
        nodes = apps.get_model("fleet", "Node")._default_manager.count()
    except DatabaseError:  # not migrated yet
        return []
    if nodes <= SQLITE_NODES:
        return []
    text = f"SQLite is meant for up to {SQLITE_NODES} nodes and this fleet has {nodes}."
    hint = "Set DATABASE_URL to a PostgreSQL server."
    return [checks.Warning(text, hint=hint, id="fleet.W001")]


def register() -> None:
    """Tell Django about them."""
    for check in (keys, broker, hosts):
        checks.register(check, checks.Tags.security)
    checks.register(size, checks.Tags.database)
