"""Typed readers of the environment. They fail loudly; `NAME_FILE` may hold the value."""

import os
from pathlib import Path


class BadSetting(RuntimeError):
    """An environment variable holds something that cannot be used."""


def text(name: str, default: str | None = None) -> str:
    """The value of `name`, or the content of the file named by `NAME_FILE`."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise BadSetting(f"{name}_FILE={path} cannot be read: {error}") from error
    value = os.environ.get(name, default)
    if value is None:
        raise BadSetting(f"{name} is not set")
    return value


def number(name: str, default: int) -> int:
    """A whole number."""
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError as error:
        raise BadSetting(f"{name}={value!r} is not a whole number") from error


def flag(name: str, default: bool) -> bool:
    """`1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`."""
    value = text(name, "on" if default else "off").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off", ""}:
        return False
    raise BadSetting(f"{name}={value!r} is neither on nor off")


def words(name: str, default: str) -> list[str]:
    """A comma-separated list; empty parts are dropped."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
