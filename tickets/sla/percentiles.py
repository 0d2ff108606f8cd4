"""Percentiles that name a real ticket, and shares that are never rounded up. Pure."""

from collections.abc import Sequence


def nearest_rank(ordered: Sequence[int], percent: int) -> int | None:
    """The value at rank ceil(percent/100 · n) of values in order; None if there are none.

    Nearest rank (percentile_disc): it is always one of the values, never between two.
    """
    if not ordered:
        return None
    rank = -(-percent * len(ordered) // 100)
    return ordered[max(rank, 1) - 1]


def share(part: int, whole: int) -> str:
    """`part` of `whole` in percent, cut to two decimals; "n/a" of nothing."""
    if not whole:
        return "n/a"
    hundredths = part * 10_000 // whole
    return f"{hundredths // 100}.{hundredths % 100:02d}"
