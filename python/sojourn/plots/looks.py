"""How each discipline looks and is called, the same in every figure and table.

Colours are Okabe and Ito's palette for colour-blind readers (Okabe, Ito, "Color Universal
Design", 2008), bent towards what reads on white and on dark ground alike; `tests/plots` holds them
apart as dichromats see them. There are more disciplines than colours that anyone can tell apart:
the marker, with its line, tells those of one colour from each other, also on a grey print.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from sojourn import registries

BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#6B6B6B"
PINK, VIOLET, AMBER, BROWN = "#CC79A7", "#8A3FE0", "#D9A400", "#773311"

COLOURS = (BLUE, ORANGE, GREEN, VIOLET, AMBER, PINK, BROWN, GREY)
"""All of them, in the order in which they are handed out."""

ON_DARK = {BROWN: "#C48A5A", VIOLET: "#A978F0", BLUE: "#3A9BDC", GREY: "#9A9A9A"}
"""What takes a colour's place on dark ground, where it would not be seen well."""

Line = str | tuple[int, tuple[float, ...]]

LINES: dict[str, Line] = {
    "o": "-",
    "s": (0, (5, 1.5)),
    "^": (0, (5, 1.5, 1, 1.5)),
    "D": (0, (1, 1.2)),
    "x": (0, (3, 2, 1, 2, 1, 2)),
    "v": (0, (7, 2)),
    "P": (0, (2, 1)),
    "*": (0, (4, 1, 1, 1, 1, 1)),
    "<": (0, (8, 1.5, 2, 1.5)),
    ">": (0, (3, 1)),
    "d": (0, (6, 1, 1, 1, 1, 1)),
}
"""Every marker with the line that goes with it, in the order in which they are handed out."""


@dataclass(frozen=True)
class Look:
    """Name in print, colour, and matplotlib's marker of one discipline."""

    label: str
    colour: str
    marker: str

    @property
    def line(self) -> Line:
        """Matplotlib's line style."""
        return LINES[self.marker]


LOOKS = {
    "droptail": (GREY, "x"),
    "headdrop": (GREY, "<"),
    "pfifo": (GREY, ">"),
    "pfifo_fast": (GREY, "d"),
    "prio": (GREY, "P"),
    "red": (BLUE, "s"),
    "ared": (PINK, "s"),
    "choke": (PINK, "x"),
    "rem": (GREEN, "^"),
    "sfq": (PINK, "D"),
    "eqm": (ORANGE, "o"),
    "codel": (VIOLET, "o"),
    "cobalt": (ORANGE, "D"),
    "blue": (BROWN, "P"),
    "sfb": (VIOLET, "P"),
    "pie": (AMBER, "v"),
    "pi": (AMBER, "^"),
    "pi2": (PINK, "v"),
    "dualpi2": (BLUE, "v"),
    "avq": (GREEN, "v"),
    "green": (GREEN, "s"),
    "feng_green": (GREEN, "P"),
    "tbf": (BROWN, "o"),
    "drr": (ORANGE, "^"),
    "fq": (BLUE, "o"),
    "fq_codel": (GREEN, "D"),
    "fq_pie": (AMBER, "D"),
    "fq_cobalt": (ORANGE, "*"),
    "cake": (BROWN, "*"),
}
"""Colour and marker of each discipline of the registry, by the name in scenario files."""


NAMED = {"ared_th": "ARED (20, 80)"}
"""Names in print of what studies call by a name of their own."""


@cache
def titles() -> dict[str, str]:
    """The names in print of all disciplines, by the name in scenario files."""
    disciplines = registries.entries("disciplines")
    return {name: str(one["title"]) for name, one in disciplines.items()}


def look(name: str) -> Look:
    """The look of a discipline, of one with settings (`codel, target=20 ms`), or of anything."""
    return looks([name])[name]


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The looks of what stands in one figure, none of them twice.

    Each discipline has its own, and the first that wants a colour keeps it, whoever is beside it.
    One whose colour is another's, as the second of two CoDels with different settings, gets a
    colour that nobody else in the figure has or wants. Where there is none it keeps its own, and
    only the marker, with its line, tells the two apart. A marker that is taken gives way to one
    that is free. What is no discipline takes what is free.
    """
    wanted = {name: _wanted(name) for name in dict.fromkeys(names)}
    owners: dict[str, str] = {}
    for name, look in wanted.items():
        if name.partition(", ")[0] in LOOKS:
            owners.setdefault(look.colour, name)
    given: dict[str, Look] = {}
    for name, look in wanted.items():
        if owners.get(look.colour) != name:
            taken = {*owners, *(one.colour for one in given.values())}
            look = replace(look, colour=_first_free(look.colour, COLOURS, taken))
        given[name] = _marked(look, [*given.values()])
    return given


def line_styles(looks: Mapping[str, Look]) -> dict[str, Line]:
    """The lines of a figure of many samples, of which dashes are hard to see: solid ones, unless
    two have the same colour."""
    colours = [one.colour for one in looks.values()]
    alone = len(set(colours)) == len(colours)
    return {name: "-" if alone else one.line for name, one in looks.items()}


def _wanted(name: str) -> Look:
    """The look of a name by itself."""
    discipline, _, settings = name.partition(", ")
    title = NAMED.get(discipline) or titles().get(discipline, discipline)
    label = f"{title}, {settings}" if settings else title
    colour, marker = LOOKS.get(discipline, (COLOURS[0], next(iter(LINES))))
    return Look(label, colour, marker)


def _marked(wanted: Look, others: list[Look]) -> Look:
    """The look with a marker that nobody has yet, at least not in its colour.

    Where a colour has no marker left, as with the twelfth CoDel of a figure, any pair that is free.
    """
    used = {(one.colour, one.marker) for one in others}
    marker = _first_free(wanted.marker, LINES, {one.marker for one in others})
    own = ((wanted.colour, one) for one in (marker, *LINES))
    pairs = (*own, *((colour, one) for one in LINES for colour in COLOURS))
    colour, marker = next((pair for pair in pairs if pair not in used), (wanted.colour, marker))
    return replace(wanted, colour=colour, marker=marker)


def _first_free(wanted: str, all_: Iterable[str], taken: set[str]) -> str:
    """What is wanted, another where that is taken, and still the same where all are."""
    return next((one for one in (wanted, *all_) if one not in taken), wanted)
