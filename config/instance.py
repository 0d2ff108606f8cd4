"""One installation's own folder: who runs it, its keys, its broker's address. No Django."""

import fcntl
import os
import secrets
import socket
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from config import env

KEYS = ("SECRET_KEY", "HALFHOUR_KEYS")


class Refused(Exception):
    """`up` cannot start; the message says why and what to do."""


def lock(folder: Path) -> IO[str]:
    """Hold the folder for as long as the returned file stays open."""
    path = folder / "run" / "up.lock"
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("a+", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.seek(0)
        owner = file.read().strip() or "unknown"
        file.close()
        raise Refused(f"Halfhour already runs on {folder} (process {owner}).") from None
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def prepare(*, demo: bool) -> bool:
    """Complete `instance.env`; True when it changed, so that settings must be read again.

    A demo makes its own keys. A real installation brings its keys (SECRET_KEY, HALFHOUR_KEYS), so
    that they are kept apart from the data. Raises Refused when they are missing, or when the
    folder belongs to the other kind.
    """
    old = env.instance()
    new = dict(old)
    if old and (old.get("HALFHOUR_DEMO") == "on") != demo:
        kind = "a real installation" if demo else "a demo"
        raise Refused(f"{env.data_dir()} holds {kind}. Choose another folder with HALFHOUR_DATA.")
    new["HALFHOUR_DEMO"] = "on" if demo else "off"
    if demo:
        new.setdefault("SECRET_KEY", secrets.token_urlsafe(48))
        new.setdefault("HALFHOUR_KEYS", urlsafe_b64encode(secrets.token_bytes(32)).decode())
    elif missing := [name for name in KEYS if not env.text(name, "")]:
        raise Refused(f"Set {' and '.join(missing)} first; docs/settings.md says how.")
    if embedded():
        new["REDIS_URL"] = own_broker(old.get("REDIS_URL", ""))
    if new != old:
        write(new)
    return new != old


def embedded() -> bool:
    """Whether we run the broker ourselves."""
    return not (os.environ.get("REDIS_URL") or os.environ.get("REDIS_URL_FILE"))


def own_broker(before: str) -> str:
    """The address of our own Valkey: as before, or on another port if somebody took that one."""
    parts = urlsplit(before)
    password = parts.password or secrets.token_urlsafe(24)
    port = parts.port if parts.port and is_free(parts.port) else free_port()
    return f"redis://:{password}@127.0.0.1:{port}/0"


def write(values: dict[str, str]) -> None:
    """Replace `instance.env` whole; only its owner may read it."""
    path = env.instance_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write("# Written by `manage.py up`. Keep it secret and keep it with the data.\n")
        file.writelines(f"{name}={value}\n" for name, value in sorted(values.items()))
    fresh.replace(path)
    env.instance.cache_clear()


def check_port(port: int) -> None:
    """Raises Refused when we cannot serve there."""
    if not 0 < port < 65536:
        raise Refused(f"{port} is no port: PORT is a number from 1 to 65535.")
    if not is_free(port):
        other = port + 1 if port < 65535 else 8000
        raise Refused(f"Port {port} of 127.0.0.1 is taken. Choose another: PORT={other}")


def is_free(port: int) -> bool:
    """Whether we could listen on this port of 127.0.0.1."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port of 127.0.0.1 nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
