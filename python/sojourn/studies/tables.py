"""Tables of a study: text for people, records for programs, from the same numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sojourn.stats import Interval

MISSING = "-"
"""Shown where a value is undefined."""


@dataclass(frozen=True)
class Table:
    """A table of texts with a caption, and the numbers behind it.

    `rows` are as wide as `header`; the first `heads` columns say what a row is. `numeric` tables
    are set with numbers to the right. `records` carries the same content unrounded, None where
    undefined.
    """

    id: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    numeric: bool = True
    heads: int = 1
    records: Sequence[Mapping[str, Any]] = field(default_factory=list)


def figure_text(value: float | None, digits: int = 3) -> str:
    """A number to `digits` significant digits, without an exponent where people expect none."""
    if value is None:
        return MISSING
    if value == 0:
        return "0"
    # As rounded: 99.96 to three digits is 100.
    size = abs(float(f"{value:.{digits - 1}e}"))
    if size >= 10**6 or size < 10**-4:
        return f"{value:.{digits - 1}e}"
    if size >= 10**digits:
        return f"{value:,.0f}"
    text = f"{value:#.{digits}g}"
    return text.rstrip(".")


def percent_text(share: float, digits: int = 0) -> str:
    """A share as per cent: 0.058 with one digit is "5.8 %"."""
    return f"{100 * share:.{digits}f} %"


def percent_beside(share: float, limit: float, digits: int = 0) -> str:
    """A share as per cent that is held against a limit, with up to two digits more.

    A number beyond the limit must not read like the limit: 0.0504 beside 0.05 is "5.04 %".
    """
    most = digits + 2
    while (
        digits < most
        and share != limit
        and percent_text(share, digits) == percent_text(limit, digits)
    ):
        digits += 1
    return percent_text(share, digits)


def interval_numbers(found: Mapping[str, Interval]) -> dict[str, Any]:
    """Intervals as a record: NAME_mean, NAME_low, NAME_high and NAME_n of each."""
    return {
        f"{name}_{part}": getattr(one, part)
        for name, one in found.items()
        for part in ("mean", "low", "high", "n")
    }


def interval_text(interval: Interval, digits: int = 3) -> str:
    """Mean and half-width, both with the decimals of the mean: "12.3 ± 0.4"."""
    if interval.mean is None:
        return MISSING
    mean = figure_text(interval.mean, digits)
    half = interval.half_width
    if half is None:
        return mean
    decimals = len(mean.partition(".")[2]) if "." in mean and "e" not in mean else 0
    if half == 0:
        return f"{mean} ± 0"
    if "e" in mean or round(half, decimals) == 0:
        return f"{mean} ± {half:.1g}"
    return f"{mean} ± {half:,.{decimals}f}"
