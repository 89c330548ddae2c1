"""The queue around one decision: how many packets waited, and when any was dropped or marked."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.figure import Figure

from sojourn.plots.style import FAINT, INK, legend_below, name_axes, new_figure

COLUMNS = ("row", "time_s", "event", "queue_packets")
"""What the frame must hold: a row for each event of the link."""

MARKERS = (("drop", "dropped", "x", "#D55E00"), ("mark", "marked", "^", "#0072B2"))
"""Event, what it is called, marker and colour."""


def draw(frame: pl.DataFrame, event: dict[str, Any]) -> Figure:
    """Draw the queue of a link around `event`, a row of `frame` (columns as `COLUMNS`)."""
    figure, axes = new_figure((7.2, 3.2))
    since_ms = (frame["time_s"] - event["time_s"]) * 1e3
    axes.step(since_ms, frame["queue_packets"], where="post", color=INK, linewidth=1.1)
    for kind, label, marker, colour in MARKERS:
        rows = frame.filter(pl.col("event") == kind)
        if len(rows):
            times = (rows["time_s"] - event["time_s"]) * 1e3
            axes.plot(times, rows["queue_packets"], marker, color=colour, label=label, ms=5)
    axes.axvline(0, color=FAINT, linewidth=5, zorder=0, label="this decision")
    axes.set_ylim(bottom=0)
    name_axes(axes, "Time from this decision (ms)", "Waiting packets")
    legend_below(figure, axes)
    return figure
