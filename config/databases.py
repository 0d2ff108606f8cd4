"""Turns DATABASE_URL into Django's database settings. Pure."""

from typing import Any
from urllib.parse import unquote, urlsplit

from config.env import BadSetting

# One for each page being made (config.turnstile), each rendering thread and each health check.
CONNECTIONS = 12 + 4 + 8


def database(url: str, *, pool: bool) -> dict[str, Any]:
    """`sqlite:///path` or `postgresql://user:password@host:port/name`; `pool` keeps PostgreSQL
    connections open for a process whose threads come and go (the web)."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            "OPTIONS": {
                "timeout": 20,
                "transaction_mode": "IMMEDIATE",
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    if parts.scheme not in {"postgresql", "postgres"}:
        raise BadSetting(f"DATABASE_URL: unknown scheme {parts.scheme!r}")
    options: dict[str, Any] = {"connect_timeout": 3}
    if pool:
        options["pool"] = {"min_size": 1, "max_size": CONNECTIONS, "timeout": 10}
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": parts.hostname or "",
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": pool,
        "OPTIONS": options,
    }
