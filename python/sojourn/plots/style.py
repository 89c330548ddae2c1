"""The shared style of all figures, and a figure that keeps it.

Nothing here touches matplotlib's global state: a notebook that imports Sojourn keeps its own
settings.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sojourn.plots.plot import Plot

INK = "#222222"
"""Text and axes."""

FAINT = "#D9D9D9"
"""Grid lines."""

SIZE = (7.2, 4.2)
"""Inches; wide enough for a page, and still readable on a phone."""

TEXT = 10
"""Points."""


LINE = 100
"""Letters that a line of text has room for."""

WIDE = 110
"""Letters of a legend above which three columns of it are too many."""

HANDLE = 10
"""Letters that would fit into what a legend draws beside a label."""

LEGEND_ROWS = 2
"""Of a legend that a figure has room for; for each further one it grows."""

ROW = 0.19
"""Inches of a row of text."""

ROW_NAME = 38
"""Letters of a name at the left of a row."""

SLANT = 40
"""Degrees of the names of columns that are too narrow for them."""

SLANTED_NAME = 24
"""Letters of a line of such a name."""

LETTER = 0.075
"""Inches of a letter, about."""

ROOM_OF_ROW = 2
"""Lines of a name that a row has room for."""


def new_figure(size: tuple[float, float] = SIZE) -> tuple[Plot, Axes]:
    """An empty figure with one axes in the shared style."""
    figure = Plot(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    tidy(axes)
    return figure, axes


def new_panels(
    rows: int, columns: int, size: tuple[float, float], *, share: bool = True
) -> tuple[Plot, list[Axes]]:
    """An empty figure with a grid of axes in the shared style, row by row."""
    figure = Plot(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    grid = figure.subplots(rows, columns, squeeze=False, sharex=share, sharey=share)
    panels = list(grid.flat)
    for panel in panels:
        tidy(panel)
    return figure, panels


def titled(axes: Axes, text: str, beside: int = 0) -> None:
    """A small title above a panel, at its left, no wider than the panel.

    ``beside`` is the room in letters that something else takes at the side.
    """
    if text:
        shown = wrapped(text, _letters_across(axes) - beside)
        axes.set_title(shown, fontsize=TEXT, color=INK, loc="left")
        # Panels of a row have their titles side by side: the figure grows by those of a column.
        if _grid(axes)[1] == 0:
            _grow(axes.figure, ROW * shown.count("\n"))


def headed(figure: Figure, text: str) -> None:
    """A line above all panels, at the left; the figure grows by it, the panels stay as they are."""
    if text:
        shown = wrapped(text, LINE)
        figure.set_figheight(figure.get_figheight() + 0.2 * (1 + shown.count("\n")))
        figure.suptitle(shown, x=0.012, ha="left", fontsize=TEXT, color=INK)


def wrapped(text: str, letters: int) -> str:
    """A text in lines of so many letters at most.

    They break after commas, so that a number stays with its unit; within what is longer, at blanks,
    and not at the hyphens of names.
    """
    joined = re.sub(r"(?<![,;]) ", "\N{NO-BREAK SPACE}", text)
    lines = textwrap.wrap(joined, letters, break_on_hyphens=False, break_long_words=False)
    return "\n".join(
        part
        for line in lines
        for part in textwrap.wrap(
            line.replace("\N{NO-BREAK SPACE}", " "), letters, break_on_hyphens=False
        )
        or [""]
    )


def name_rows(axes: Axes, names: Sequence[str], most: int = ROW_NAME) -> None:
    """Name the places 0, 1 ... of the vertical axis; long names leave room for what is drawn.

    A line of a name has ``most`` letters at most.
    """
    shown = [wrapped(name, most) for name in names]
    axes.set_yticks(range(len(names)), shown)
    lines = 1 + max((name.count("\n") for name in shown), default=0)
    _grow(axes.figure, ROW * len(names) * (lines - ROOM_OF_ROW))


def name_columns(axes: Axes, names: Sequence[str]) -> None:
    """Name the places 0, 1 ... of the horizontal axis, each no wider than its share.

    Where a word would be broken all names are slanted.
    """
    share = max(_letters_across(axes) // max(len(names), 1) - 2, 6)
    axes.set_xticks(range(len(names)), [wrapped(name, share) for name in names])
    if max((len(word) for name in names for word in name.split()), default=0) > share:
        slanted = [wrapped(name, SLANTED_NAME) for name in names]
        axes.set_xticks(range(len(names)), slanted)
        axes.tick_params(axis="x", labelrotation=SLANT)
        for label in axes.get_xticklabels():
            label.set(ha="right", rotation_mode="anchor")
        longest = max(len(line) for name in slanted for line in name.split("\n"))
        if _grid(axes)[1] == 0:
            _grow(axes.figure, LETTER * longest * math.sin(math.radians(SLANT)) - ROW)


def _grid(axes: Axes) -> tuple[int, int]:
    """How many columns of panels there are, and in which this one stands, from 0."""
    spec = axes.get_subplotspec()
    return (1, 0) if spec is None else (spec.get_gridspec().ncols, spec.colspan.start)


def _letters_across(axes: Axes) -> int:
    """Letters that fit under a panel: beside it stand the numbers of its axis."""
    line = round(LINE / SIZE[0] * axes.figure.bbox.width / axes.figure.dpi)
    return line // _grid(axes)[0] - 8


def _letters_up(axes: Axes) -> int:
    """Letters that fit beside a panel."""
    spec = axes.get_subplotspec()
    rows = 1 if spec is None else spec.get_gridspec().nrows
    return max(int(LINE / SIZE[0] * axes.figure.bbox.height / axes.figure.dpi / rows * 0.8), 12)


def _grow(figure: Any, inches: float) -> None:
    if inches > 0:
        figure.set_figheight(figure.get_figheight() + inches)


def tidy(axes: Axes) -> None:
    """Give an axes the shared look: no box, faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(colors=INK, labelsize=TEXT)
    axes.grid(True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)


def name_axes(axes: Axes, x: str, y: str, most: int = LINE) -> None:
    """Label both axes; labels carry the unit. A line below has ``most`` letters at most."""
    across, up = min(_letters_across(axes), most), _letters_up(axes)
    lines = [wrapped(line, across) for line in x.split("\n")]
    axes.set_xlabel("\n".join(lines), fontsize=TEXT, color=INK)
    axes.set_ylabel(wrapped(y, up), fontsize=TEXT, color=INK)


def legend_below(figure: Figure, axes: Axes, columns: int = 3) -> Any:
    """The legend under the axes, where it can hide no data."""
    handles, labels = axes.get_legend_handles_labels()
    if sum(map(len, labels)) > WIDE:
        columns = 2
    longest = max(map(len, labels), default=0) + HANDLE
    columns = max(1, min(columns, LINE // longest))
    _grow(figure, ROW * (math.ceil(len(labels) / columns) - LEGEND_ROWS))
    return figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=TEXT - 1,
        handlelength=3.2,
    )
