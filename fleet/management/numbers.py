"""Numbers of command lines, within what they can mean."""

from argparse import ArgumentTypeError
from collections.abc import Callable

from fleet import typed


def whole(least: int, most: int = typed.HIGHEST) -> Callable[[str], int]:
    """Reads a whole number from `least` to `most`, for argparse."""

    def read(text: str) -> int:
        value = typed.number(text)
        if value is None or not least <= value <= most:
            raise ArgumentTypeError(f"a whole number from {least} to {most}, please")
        return value

    return read


def seconds(most: float) -> Callable[[str], float]:
    """Reads seconds, more than 0 and at most `most`, for argparse."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value <= most:  # false for NaN too
            raise ArgumentTypeError(f"seconds up to {most:.0f}, please")
        return value

    return read
