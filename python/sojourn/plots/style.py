"""The shared style of all figures, and a figure that keeps it.

Nothing here touches matplotlib's global state: a notebook that imports Sojourn keeps its own
settings.
"""

from __future__ import annotations

import re
import textwrap
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


def titled(axes: Axes, text: str) -> None:
    """A small title above a panel, at its left."""
    if text:
        axes.set_title(text, fontsize=TEXT, color=INK, loc="left")


def headed(figure: Figure, text: str) -> None:
    """A line above all panels, at the left; the figure grows by it, the panels stay as they are."""
    if text:
        # A number stays with its unit: lines break after commas only.
        joined = re.sub(r"(?<![,;]) ", "\N{NO-BREAK SPACE}", text)
        lines = textwrap.wrap(joined, LINE, break_on_hyphens=False)
        lines = [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]
        figure.set_figheight(figure.get_figheight() + 0.2 * len(lines))
        figure.suptitle("\n".join(lines), x=0.012, ha="left", fontsize=TEXT, color=INK)


def tidy(axes: Axes) -> None:
    """Give an axes the shared look: no box, faint grid behind the data."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(colors=INK, labelsize=TEXT)
    axes.grid(True, color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)


def name_axes(axes: Axes, x: str, y: str) -> None:
    """Label both axes; labels carry the unit."""
    axes.set_xlabel(x, fontsize=TEXT, color=INK)
    axes.set_ylabel(y, fontsize=TEXT, color=INK)


def legend_below(figure: Figure, axes: Axes, columns: int = 3) -> Any:
    """The legend under the axes, where it can hide no data."""
    handles, labels = axes.get_legend_handles_labels()
    if sum(map(len, labels)) > WIDE:
        columns = 2
    longest = max(map(len, labels), default=0) + HANDLE
    columns = max(1, min(columns, LINE // longest))
    return figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=TEXT - 1,
        handlelength=3.2,
    )
