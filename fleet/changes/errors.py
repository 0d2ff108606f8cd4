"""What a service raises when it will not do what was asked."""

from collections.abc import Mapping

from django.utils.functional import Promise

Text = str | Promise


class Refused(Exception):
    """Nothing was changed. `errors` maps a field (or `__all__`) to a sentence for the reader."""

    def __init__(self, errors: Mapping[str, Text] | Text) -> None:
        self.errors: Mapping[str, Text] = (
            errors if isinstance(errors, Mapping) else {"__all__": errors}
        )
        super().__init__(errors)

    def __str__(self) -> str:
        return " ".join(str(text) for text in self.errors.values())


class StaleState(Refused):
    """Somebody else moved it first: look again before acting."""


class NotAllowed(Refused):
    """The table of states has no such move."""
