"""How each discipline looks and is called, the same in every figure and table.

Colours are Okabe and Ito's palette for colour-blind readers (Okabe, Ito, "Color Universal
Design", 2008), bent towards what reads on white and on dark ground alike. Line and marker differ
as well, so that a grey print still tells the disciplines apart.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """Name in print, colour, and matplotlib's line and marker of one discipline."""

    label: str
    colour: str
    line: str | tuple[int, tuple[float, ...]]
    marker: str


LOOKS = {
    "eqm": Look("EQM (reconstruction)", "#D55E00", "-", "o"),
    "red": Look("RED", "#0072B2", (0, (5, 1.5)), "s"),
    "rem": Look("REM", "#009E73", (0, (5, 1.5, 1, 1.5)), "^"),
    "sfq": Look("SFQ", "#B0529B", (0, (1, 1.2)), "D"),
    "droptail": Look("Drop-tail", "#6B6B6B", (0, (3, 2, 1, 2, 1, 2)), "x"),
}
"""Fixed looks, by the name in scenario files."""

SPARE = (
    Look("", "#8C6D1F", (0, (7, 2)), "v"),
    Look("", "#2F8FB3", (0, (2, 1)), "P"),
    Look("", "#7A4B2A", (0, (4, 1, 1, 1, 1, 1)), "*"),
)
"""Looks for disciplines without one of their own, handed out by name."""


def look(discipline: str) -> Look:
    """The look of a discipline: its own, or a spare one that depends on its name alone."""
    if discipline in LOOKS:
        return LOOKS[discipline]
    spare = SPARE[sum(discipline.encode()) % len(SPARE)]
    return Look(discipline, spare.colour, spare.line, spare.marker)
