"""What people and programs type, read with suspicion. Pure."""

import re
import unicodedata
from datetime import UTC, datetime
from ipaddress import ip_address

EARLIEST, LATEST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
HIGHEST = 2**63 - 1  # what a database holds as a whole number
_LABEL = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?\Z")
_CONTAINER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_NODE = re.compile(r"\w[\w.\-]*\Z")
# Control, format (bidi and zero width), surrogate, private use, line and paragraph separators.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})


def number(text: str) -> int | None:
    """The whole number that `text` spells in ASCII digits, or None.

    `str.isdigit` says yes to “²”, which `int` refuses, and no database holds a number of 30 digits.
    """
    if not (text.isascii() and text.isdecimal() and len(text) <= 19):
        return None
    value = int(text)
    return value if value <= HIGHEST else None


def moment(when: datetime) -> datetime:
    """`when`, if fleets can have lived then: every database and every zone can hold it."""
    if not EARLIEST <= when <= LATEST:
        raise ValueError("a time lies between the years 2000 and 2200")
    return when


def is_line(text: str) -> bool:
    """Whether a person sees every character of it: nothing steers a terminal or turns the text."""
    return not any(unicodedata.category(letter) in _UNSEEN for letter in text)


def is_host(text: str) -> bool:
    """A host's name or an IP address, bare."""
    try:
        ip_address(text)
    except ValueError:
        labels = text.removesuffix(".").split(".")
        named = len(text) <= 253 and all(_LABEL.match(label) for label in labels)
        return named and not re.fullmatch(r"[0-9.]+", text)
    return True


def is_container(text: str) -> bool:
    """A name as Docker allows it; nothing of it can be an option or a command."""
    return _CONTAINER.match(text) is not None


def is_node_name(text: str) -> bool:
    """Letters of any script, digits, `.`, `_` and `-`; it begins with a letter or digit."""
    return _NODE.match(text) is not None and ".." not in text


def visible(text: str) -> str:
    """`text` for a terminal: what would steer it is spelled out, as `\\x1b`."""
    if is_line(text):
        return text
    unseen = (unicodedata.category(letter) in _UNSEEN for letter in text)
    return "".join(
        letter.encode("unicode_escape").decode() if hidden else letter
        for letter, hidden in zip(text, unseen, strict=True)
    )
