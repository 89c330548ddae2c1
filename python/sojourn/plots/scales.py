"""The values of a varied key as numbers on one scale: ``8 Mbit/s``, ``500 kbit/s``, ``0.5``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sojourn.wording import in_words

_VALUE = re.compile(r"([-+0-9.eE_]+)\s*([A-Za-z%/]*)")

FAMILIES: tuple[dict[str, float], ...] = (
    {"bit/s": 1e-6, "kbit/s": 1e-3, "Mbit/s": 1.0, "Gbit/s": 1e3},
    {"min": 6e4, "s": 1e3, "ms": 1.0, "us": 1e-3, "ns": 1e-6, "ps": 1e-9},
    {"B": 1e-3, "kB": 1.0, "MB": 1e3},
)
"""Units that are one scale; the one of factor 1 is shown where they mix."""


@dataclass(frozen=True)
class Scale:
    """Values as numbers in a unit, or, where they are none, their places in order of first use."""

    numbers: tuple[float, ...]
    unit: str
    names: tuple[str, ...] = ()
    """Of the places 0, 1 ...; empty where the values are numbers."""


def scale(values: Sequence[Any]) -> Scale:
    """Read the values of a key."""
    parts = [_read(value) for value in values]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts):
        units = {unit for _, unit in known}
        if len(units) == 1:
            return Scale(tuple(number for number, _ in known), units.pop())
        for family in FAMILIES:
            if units <= family.keys():
                unit = next(one for one, factor in family.items() if factor == 1.0)
                return Scale(tuple(number * family[of] for number, of in known), unit)
    words = in_words(values)
    names = tuple(dict.fromkeys(words))
    return Scale(tuple(float(names.index(word)) for word in words), "", names)


def _read(value: Any) -> tuple[float, str] | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    match = _VALUE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return None
    try:
        return float(match[1]), match[2]
    except ValueError:
        return None
