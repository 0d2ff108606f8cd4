"""Reads an OpenSSH `ssh_config` as OpenSSH does: the first value of a keyword wins. Pure."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

WANTED = frozenset({"hostname", "port", "user", "proxyjump", "proxycommand"})
KEYWORD = re.compile(r"\s*([A-Za-z]+)(?:\s*=\s*|\s+)(.*)")


@dataclass(frozen=True, slots=True)
class HostEntry:
    """One host that can be named: what OpenSSH would use for it. Empty where it says nothing."""

    line: int
    name: str
    address: str
    port: str = ""
    user: str = ""
    jump: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A line we do not follow; `reason` is `pattern`, `match`, `include` or `unreadable`."""

    line: int
    name: str
    reason: str


@dataclass
class _Block:
    patterns: Sequence[str]
    values: dict[str, str] = field(default_factory=dict)


def parse_ssh_config(text: str) -> tuple[list[HostEntry], list[Skipped]]:
    """Every host named in full, and every line that was not followed. Never raises."""
    reader = _Reader()
    for number, line in enumerate(text.lstrip("\ufeff").replace("\0", "").splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            reader.read(number, line)
    finder = _Finder(reader.blocks)
    entries = [_entry(line, name, finder.blocks_of(name)) for name, line in reader.names.items()]
    return entries, reader.skipped


class _Reader:
    """Gathers blocks, host names and lines not followed."""

    def __init__(self) -> None:
        self.blocks = [_Block(["*"])]
        self.names: dict[str, int] = {}
        self.skipped: list[Skipped] = []

    def read(self, number: int, line: str) -> None:
        found = KEYWORD.match(line)
        words = _words(found[2]) if found else []
        if not found or not words:
            self._skip(number, [line.strip()], "unreadable")
            return
        keyword = found[1].lower()
        if keyword == "host":
            self._host(number, words)
        elif keyword == "match":
            self._match(number, words)
        elif keyword == "include":
            self._skip(number, words, "include")
        elif keyword in WANTED:
            value = " ".join(words) if keyword == "proxycommand" else words[0]
            self.blocks[-1].values.setdefault(keyword, value)

    def _host(self, number: int, words: list[str]) -> None:
        self.blocks.append(_Block(words))
        for word in words:
            if any(mark in word for mark in "*?!"):
                self._skip(number, [word], "pattern")
            else:
                self.names.setdefault(word, number)

    def _match(self, number: int, words: list[str]) -> None:
        everybody = [word.lower() for word in words] == ["all"]
        self.blocks.append(_Block(["*"] if everybody else []))
        if not everybody:
            self._skip(number, words, "match")

    def _skip(self, number: int, words: list[str], reason: str) -> None:
        self.skipped.append(Skipped(number, " ".join(words)[:60], reason))


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return []


class _Finder:
    """Finds the blocks that apply to a name without trying every block on every name."""

    def __init__(self, blocks: Sequence[_Block]) -> None:
        self._blocks = blocks
        self._named: dict[str, list[int]] = {}
        self._patterned: list[int] = []
        for at, block in enumerate(blocks):
            if any(mark in pattern for pattern in block.patterns for mark in "*?!"):
                self._patterned.append(at)
            else:
                for name in set(block.patterns):
                    self._named.setdefault(name, []).append(at)

    def blocks_of(self, name: str) -> list[_Block]:
        """In the order of the file."""
        fits = [at for at in self._patterned if _matches(name, self._blocks[at].patterns)]
        return [self._blocks[at] for at in sorted(fits + self._named.get(name, []))]


def _entry(line: int, name: str, blocks: Sequence[_Block]) -> HostEntry:
    values: dict[str, str] = {}
    for block in blocks:
        values = block.values | values
    jump = values.get("proxyjump", "")
    return HostEntry(
        line=line,
        name=name,
        address=values.get("hostname", name).replace("%h", name).replace("%%", "%"),
        port=values.get("port", ""),
        user=values.get("user", ""),
        jump="" if jump.lower() == "none" else jump,
        command="" if "proxyjump" in values else values.get("proxycommand", ""),
    )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """A negated pattern that fits refuses the block, whatever else fits."""
    fits = [pattern for pattern in patterns if _fits(name, pattern.removeprefix("!"))]
    return bool(fits) and not any(pattern.startswith("!") for pattern in fits)


def _fits(name: str, pattern: str) -> bool:
    return fnmatchcase(name, pattern.replace("[", "[[]"))
