"""Measures over time: one panel, or one for each discipline, with several lines each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sojourn.plots.style import INK, TEXT, name_axes, new_figure, tidy

COLUMNS = ("panel", "line", "time_s", "value")
"""What the frame must hold; `low` and `high`, where it has them, draw a band."""

PANEL_SIZE = (3.6, 1.8)
"""Inches of one panel among several."""


@dataclass(frozen=True)
class Strand:
    """How one line looks, and what the legend calls it; lines of one name share an entry."""

    label: str
    colour: str
    line: Any = "-"
    width: float = 1.6
    alpha: float = 1.0


@dataclass(frozen=True)
class TimeFigure:
    """What a figure over time needs besides its data.

    `strands` tells how each line looks, in the order of the legend; panels are named as `panels`
    says, in that order.
    """

    y_label: str
    strands: Mapping[str, Strand]
    panels: Mapping[str, str]
    from_zero: bool = True
    top: float | None = None


def draw(frame: pl.DataFrame, what: TimeFigure) -> Figure:
    """Draw `frame` (columns as `COLUMNS`). Raises ValueError when one is missing."""
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of a figure over time lacks {', '.join(missing)}")
    panels = [name for name in what.panels if name in set(frame["panel"])]
    if len(panels) == 1:
        figure, axes = new_figure()
        draw_panel(axes, frame, what)
        name_axes(axes, "Time (s)", what.y_label)
        free = None
    else:
        figure, free = draw_panels(frame, what, panels)
    first = figure.axes[0]
    if what.from_zero:
        first.set_ylim(bottom=0)
    if what.top is not None:
        first.set_ylim(top=what.top)
    handles: dict[str, Any] = {}
    for name, strand in what.strands.items():
        if name in set(frame["line"]) and strand.label not in handles:
            handles[strand.label] = first.plot(
                [], [], color=strand.colour, linestyle=strand.line, linewidth=1.8
            )[0]
    style: dict[str, Any] = {"frameon": False, "fontsize": TEXT - 1, "handlelength": 3.2}
    if free is None:
        style |= {"loc": "outside lower center", "ncols": min(3, len(handles))}
        figure.legend(list(handles.values()), list(handles), **style)
    else:
        free.legend(list(handles.values()), list(handles), loc="center", **style)
    return figure


def draw_panels(
    frame: pl.DataFrame, what: TimeFigure, panels: list[str]
) -> tuple[Figure, Axes | None]:
    """Two columns of panels that share their axes, and the place that stays empty, if one does."""
    rows = (len(panels) + 1) // 2
    figure, only = new_figure((2 * PANEL_SIZE[0], rows * PANEL_SIZE[1] + 0.3))
    only.remove()
    places = list(figure.subplots(rows, 2, sharex=True, sharey=True, squeeze=False).flat)
    for axes, name in zip(places, panels, strict=False):
        tidy(axes)
        draw_panel(axes, frame.filter(pl.col("panel") == name), what)
        axes.set_title(what.panels[name], fontsize=TEXT, color=INK, loc="left")
    for axes in places[len(panels) - 2 : len(panels)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel("Time (s)", fontsize=TEXT, color=INK)
    figure.supylabel(what.y_label, fontsize=TEXT, color=INK)
    if len(panels) == len(places):
        return figure, None
    places[-1].set_axis_off()
    return figure, places[-1]


def draw_panel(axes: Axes, frame: pl.DataFrame, what: TimeFigure) -> None:
    """The lines of one panel, in the order of the strands."""
    for name, strand in what.strands.items():
        rows = frame.filter(pl.col("line") == name).sort("time_s")
        if rows.is_empty():
            continue
        # An undefined value leaves a gap.
        times = rows["time_s"].to_numpy()
        values = rows["value"].cast(pl.Float64).fill_null(np.nan).to_numpy()
        if "low" in rows.columns and rows["low"].is_not_null().any():
            axes.fill_between(
                times,
                rows["low"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
                rows["high"].cast(pl.Float64).fill_null(np.nan).to_numpy(),
                color=strand.colour,
                alpha=0.18,
                linewidth=0,
            )
        axes.plot(
            times,
            values,
            color=strand.colour,
            linestyle=strand.line,
            linewidth=strand.width,
            alpha=strand.alpha,
        )
    axes.margins(x=0.01)
