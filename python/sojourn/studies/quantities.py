"""Numbers with units, as scenario files write them, for the knobs of studies.

The scenario crate is the judge of every file that runs. What stands here is only what a study
must know itself: to compute a duty cycle it needs two durations as numbers. Arithmetic is done
in decimal fractions, so 0.05 Mbit/s in 60 steps stays exact.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

TIMES = {
    "s": Fraction(1),
    "ms": Fraction(1, 10**3),
    "us": Fraction(1, 10**6),
    "ns": Fraction(1, 10**9),
    "min": Fraction(60),
}
"""Units of time, in seconds."""

RATES = {
    "bit/s": Fraction(1),
    "kbit/s": Fraction(10**3),
    "Mbit/s": Fraction(10**6),
    "Gbit/s": Fraction(10**9),
}
"""Units of rate, in bit/s (decimal)."""

_NUMBER = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(\S+)\s*")
_BARE = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*")


def parse(text: str, units: dict[str, Fraction], example: str) -> Fraction:
    """The value of `text` in the base unit of `units`, exactly.

    Raises ValueError naming what was found and what is allowed.
    """
    match = _NUMBER.fullmatch(text)
    if match is None or match[2] not in units:
        allowed = ", ".join(units)
        if _BARE.fullmatch(text):
            raise ValueError(f'"{text}" needs a unit: {allowed}, as in "{example}"')
        raise ValueError(f'"{text}" is not a number and one of {allowed}, as in "{example}"')
    return Fraction(Decimal(match[1])) * units[match[2]]


def seconds(text: str) -> Fraction:
    """A duration such as "0.5 s" in seconds. Raises ValueError."""
    return parse(text, TIMES, "0.5 s")


def bits_per_second(text: str) -> Fraction:
    """A rate such as "8 Mbit/s" in bit/s. Raises ValueError."""
    return parse(text, RATES, "3 Mbit/s")


def time_text(span: Fraction) -> str:
    """A duration in seconds as scenario files write it, to the nanosecond."""
    nanoseconds = Decimal(round(span * 10**9))
    if span >= 1:
        return f"{(nanoseconds / 10**9).normalize():f} s"
    return f"{(nanoseconds / 10**6).normalize():f} ms"


def rate_text(rate: Fraction) -> str:
    """A rate in bit/s as scenario files write it, to the bit per second."""
    if rate % 1000 == 0:
        in_megabits = Decimal(rate.numerator // rate.denominator) / Decimal(10**6)
        return f"{in_megabits.normalize():f} Mbit/s"
    return f"{round(rate)} bit/s"
