"""The shared style of all figures, and a figure that keeps it.

Nothing here touches matplotlib's global state: a notebook that imports Sojourn keeps its own
settings.
"""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

INK = "#222222"
"""Text and axes."""

FAINT = "#D9D9D9"
"""Grid lines."""

SIZE = (7.2, 4.2)
"""Inches; wide enough for a page, and still readable on a phone."""

TEXT = 10
"""Points."""


def new_figure(size: tuple[float, float] = SIZE) -> tuple[Figure, Axes]:
    """An empty figure with one axes in the shared style."""
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    tidy(axes)
    return figure, axes


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
    return figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=columns,
        frameon=False,
        fontsize=TEXT - 1,
        handlelength=3.2,
    )
