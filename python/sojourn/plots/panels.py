"""Lines with bands in several panels of one scale: a panel per case, a line per series."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from sojourn.plots.looks import Look, look
from sojourn.plots.style import INK, TEXT, new_figure, tidy

COLUMNS = ("panel", "series", "x", "mean", "low", "high")
"""What the frame must hold; low and high may be null. A column `beside`, where there is one, holds
numbers of others, drawn as open diamonds."""

Style = Literal["both", "lines", "points"]
"""What a series is drawn with."""

WIDTH = 7.2
HEIGHT = 2.5
"""Inches: the width of a figure, the height of a row of panels."""

MOST_TICKS = 8
"""Up to so many places on the horizontal axis are all named."""


@dataclass(frozen=True)
class Panels:
    """What such a figure needs besides its data.

    `looks` gives each series its look (by default that of a discipline); `log_x` spaces doublings
    evenly; `beside` names the open diamonds; `levels` are horizontal lines by panel, named by
    `level_text`; `own_scale` gives each panel its own vertical scale; `style` draws bare lines
    for time series, bare points where the places are no scale.
    """

    x_label: str
    y_label: str
    looks: Mapping[str, Look] = field(default_factory=dict)
    columns: int = 2
    log_x: bool = False
    log_y: bool = False
    beside: str = ""
    levels: Mapping[str, float] = field(default_factory=dict)
    level_text: str = ""
    own_scale: bool = False
    style: Style = "both"


def draw(frame: pl.DataFrame, what: Panels) -> Figure:
    """Draw `frame` (columns as `COLUMNS`), panels and series in the order given.

    Raises ValueError when a column is missing.
    """
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of a figure of panels lacks {', '.join(missing)}")
    names = list(dict.fromkeys(frame["panel"]))
    columns = min(what.columns, len(names))
    rows = math.ceil(len(names) / columns)
    figure, first = new_figure((WIDTH, 1.0 + HEIGHT * rows * (1.3 if columns == 1 else 1)))
    first.remove()
    grid = figure.subplots(
        rows, columns, squeeze=False, sharex=True, sharey=not what.own_scale
    ).flatten()
    for spare in grid[len(names) :]:
        spare.remove()
    for axes, name in zip(grid, names, strict=False):
        tidy(axes)
        draw_panel(axes, frame.filter(pl.col("panel") == name), what)
        if name in what.levels:
            axes.axhline(what.levels[name], color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
        if len(names) > 1:
            axes.set_title(name, fontsize=TEXT, color=INK, loc="left")
        set_scales(axes, frame, what)
    # The lowest of each column; above a gap in the last row that is one of the row before.
    for axes in grid[max(0, len(names) - columns) : len(names)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(what.x_label, fontsize=TEXT, color=INK)
    if not what.log_y:
        tops = grid[: len(names)] if what.own_scale else grid[:1]
        for axes in tops:
            axes.set_ylim(bottom=0)
    figure.supylabel(what.y_label, fontsize=TEXT, color=INK)
    draw_legend(figure, grid[0], what, "beside" in frame.columns)
    return figure


def draw_panel(axes: Axes, rows: pl.DataFrame, what: Panels) -> None:
    """The lines and bands of one panel."""
    for name in dict.fromkeys(rows["series"]):
        part = rows.filter(pl.col("series") == name).sort("x")
        drawn = part.drop_nulls("mean")
        shown = what.looks.get(name) or look(name)
        x = drawn["x"].to_numpy()
        if drawn["low"].is_not_null().any():
            axes.fill_between(
                x,
                drawn["low"].cast(pl.Float64).to_numpy(),
                drawn["high"].cast(pl.Float64).to_numpy(),
                color=shown.colour,
                alpha=0.18,
                linewidth=0,
            )
        axes.plot(
            x,
            drawn["mean"].to_numpy(),
            color=shown.colour,
            linestyle={"both": shown.line, "lines": "-", "points": ""}[what.style],
            linewidth=1.1 if what.style == "lines" else 1.8,
            marker="" if what.style == "lines" else shown.marker,
            markersize=4.5,
            label=shown.label or name,
        )
        if "beside" in rows.columns:
            draw_beside(axes, part.drop_nulls("beside"), shown.colour)


def draw_beside(axes: Axes, rows: pl.DataFrame, colour: str) -> None:
    """Numbers of others, if there are any."""
    if rows.is_empty():
        return
    axes.plot(
        rows["x"].to_numpy(),
        rows["beside"].to_numpy(),
        "D",
        markersize=6,
        markerfacecolor="none",
        markeredgecolor=colour,
        markeredgewidth=1.4,
        # Whole at the edge, too: a number near zero is a number.
        clip_on=False,
    )


def set_scales(axes: Axes, frame: pl.DataFrame, what: Panels) -> None:
    """Scales and ticks: every place named where they are few."""
    places: Sequence[float] = sorted(set(frame["x"]))
    if what.log_x:
        axes.set_xscale("log", base=2)
    if what.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    if what.log_x or len(places) <= MOST_TICKS:
        axes.set_xticks(places, [place_text(place) for place in places])
        axes.tick_params(axis="x", labelsize=TEXT - 2)
        axes.minorticks_off()
    elif all(place == int(place) for place in places):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))


def place_text(place: float) -> str:
    """A place on the horizontal axis: fractions below one as such."""
    if 0 < place < 1 and abs(1 / place - round(1 / place)) < 1e-9:
        return f"1/{round(1 / place)}"
    if place >= 1000 and place % 1000 == 0:
        return f"{place / 1000:g}k"
    return f"{place:g}"


def draw_legend(figure: Figure, axes: Axes, what: Panels, beside: bool) -> None:
    """One legend under all panels."""
    handles, labels = axes.get_legend_handles_labels()
    if beside and what.beside:
        open_diamond = axes.plot(
            [],
            [],
            "D",
            markersize=6,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.4,
        )[0]
        handles, labels = [*handles, open_diamond], [*labels, what.beside]
    if what.levels and what.level_text:
        line = axes.plot([], [], color=INK, linewidth=0.9, linestyle=(0, (4, 3)))[0]
        handles, labels = [*handles, line], [*labels, what.level_text]
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(4, len(labels)),
        frameon=False,
        fontsize=TEXT - 1,
        handlelength=3.2,
    )
