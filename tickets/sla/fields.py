"""Values of a JSON object, each of the type it must have. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tickets.sla import instants

MISSING = object()


class Wrong(Exception):
    """Wrong input: `where` it stands, and what is wrong with it."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where = where
        self.message = message


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one object; null counts as absent, unknown ones are ignored."""

    values: Mapping[str, object]
    where: str

    @classmethod
    def of(cls, value: object, where: str) -> "Fields":
        """An object. Raises Wrong."""
        if not isinstance(value, Mapping):
            raise Wrong(where or "file", "must be an object")
        return cls(value, where)

    def at(self, name: str) -> str:
        """The path of a field."""
        return f"{self.where}.{name}" if self.where else name

    def get(self, name: str) -> object:
        """The field's value, None if absent."""
        return self.values.get(name)

    def need(self, name: str) -> object:
        """The field's value. Raises Wrong if absent."""
        value = self.get(name)
        if value is None:
            raise Wrong(self.at(name), "is missing")
        return value

    def text(self, name: str) -> str:
        """A text."""
        value = self.need(name)
        if not isinstance(value, str):
            raise Wrong(self.at(name), "must be a text")
        return value

    def maybe_text(self, name: str) -> str | None:
        """A text or nothing."""
        return None if self.get(name) is None else self.text(name)

    def one_of(self, name: str, known: Collection[str]) -> str:
        """One of some words."""
        value = self.text(name)
        if value not in known:
            raise Wrong(self.at(name), f"{value!r} is none of: {', '.join(sorted(known))}")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise Wrong(self.at(name), "must be true or false")
        return value

    def whole(self, name: str, *, least: int, most: int = 2**63, default: int | None = None) -> int:
        """A whole number from `least` to `most`."""
        value = self.get(name)
        if value is None and default is not None:
            return default
        return whole(self.need(name), self.at(name), least=least, most=most)

    def instant(self, name: str) -> int:
        """An instant with an offset."""
        text = self.text(name)
        try:
            return instants.read(text)
        except ValueError as error:
            raise Wrong(self.at(name), f"{text!r} {error}") from None

    def maybe_instant(self, name: str) -> int | None:
        """An instant or nothing."""
        return None if self.get(name) is None else self.instant(name)

    def date(self, name: str) -> date:
        """A local date."""
        return local_date(self.text(name), self.at(name))

    def listed(
        self, name: str, default: Sequence[object] | None = None
    ) -> list[tuple[str, object]]:
        """The items of a list, each with its path."""
        value = self.get(name)
        if value is None and default is not None:
            return []
        return items(self.need(name), self.at(name))


def items(value: object, where: str) -> list[tuple[str, object]]:
    """The items of a list, each with its path."""
    if not isinstance(value, list):
        raise Wrong(where, "must be a list")
    return [(f"{where}[{place}]", item) for place, item in enumerate(value)]


def whole(value: object, where: str, *, least: int, most: int = 2**63) -> int:
    """A whole number from `least` to `most`. `1.0` is one too; true is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise Wrong(where, "must be a whole number")
    if value < least:
        raise Wrong(where, f"must be {least} or more")
    if value > most:
        raise Wrong(where, f"must be {most} or less")
    return value


def local_date(text: object, where: str) -> date:
    """A local date such as 2026-05-01."""
    try:
        if not isinstance(text, str) or len(text) != 10:
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        raise Wrong(where, f"{text!r} is no date such as 2026-05-01") from None
