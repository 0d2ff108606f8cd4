"""Typed readers of the environment. They fail loudly; `NAME_FILE` may hold the value.

What `manage.py up` chose for an installation (keys, the broker's address) stands in its
`instance.env`; the environment wins over it, so that every command of that installation agrees.
"""

import os
from functools import cache
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


class BadSetting(RuntimeError):
    """An environment variable holds something that cannot be used."""


def data_dir() -> Path:
    """Where this installation keeps everything that is its own."""
    return Path(os.environ.get("HALFHOUR_DATA") or BASE_DIR / "var").resolve()


def instance_file() -> Path:
    return data_dir() / "instance.env"


@cache
def instance() -> dict[str, str]:
    """The content of `instance.env`: NAME=value lines; empty when there is none."""
    try:
        lines = instance_file().read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadSetting(f"{instance_file()} cannot be read: {error}") from error
    return dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))


def text(name: str, default: str | None = None) -> str:
    """The value of `name`, or the content of the file named by `NAME_FILE`."""
    path = os.environ.get(f"{name}_FILE")
    if path:
        try:
            return Path(path).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise BadSetting(f"{name}_FILE={path} cannot be read: {error}") from error
    value = os.environ.get(name, instance().get(name, default))
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


def addresses(name: str, default: str) -> list[tuple[str, int]]:
    """A comma-separated list of `host:port`."""
    found = []
    for word in words(name, default):
        host, _, port = word.rpartition(":")
        if not host or not (port.isascii() and port.isdecimal()) or not 0 < int(port) < 65536:
            raise BadSetting(f"{name}: {word!r} is not host:port")
        found.append((host.strip("[]"), int(port)))
    return found
