"""What a search found: every setting tried, and the front with its intervals, against the defaults.

Both axes are ratios to the defaults, which stand at (1, 1); each axis runs so that up and to the
right is better, as in the figures of delay against goodput.
"""

from __future__ import annotations

import polars as pl
from matplotlib.axes import Axes

from sojourn.plots.looks import BLUE, ORANGE
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label
from sojourn.plots.style import FAINT, INK, legend_below, name_axes, new_figure

COLUMNS = ("number", "kind", "x", "x_low", "x_high", "y", "y_low", "y_high")
"""What the frame must hold; `kind` is ``tried``, ``seen`` or ``held out``, limits may be null."""

FRONTS = {
    "seen": (BLUE, "o", "Front, on the cases of the search"),
    "held out": (ORANGE, "D", "Front, on the cases held out"),
}


def draw(frame: pl.DataFrame, x: tuple[str, str], y: tuple[str, str]) -> Plot:
    """Draw `frame` (columns as `COLUMNS`); `x` and `y` are a quantity and its direction each."""
    figure, axes = new_figure()
    axes.axvline(1, color=INK, linewidth=0.8)
    axes.axhline(1, color=INK, linewidth=0.8)
    tried = frame.filter(pl.col("kind") == "tried").drop_nulls(["x", "y"])
    axes.scatter(tried["x"], tried["y"], s=12, color="#9A9A9A", linewidths=0, label="Tried")
    _join(axes, frame)
    for kind, (colour, marker, label) in FRONTS.items():
        rows = frame.filter(pl.col("kind") == kind).drop_nulls(["x", "y"])
        if len(rows):
            axes.errorbar(
                rows["x"],
                rows["y"],
                xerr=_arms(rows, "x"),
                yerr=_arms(rows, "y"),
                linestyle="none",
                marker=marker,
                markersize=5,
                color=colour,
                elinewidth=0.8,
                label=label,
            )
    axes.plot(1, 1, marker="+", markersize=12, color=INK, linestyle="none", label="Defaults")
    if x[1] == "minimise":
        axes.invert_xaxis()
    if y[1] == "minimise":
        axes.invert_yaxis()
    name_axes(axes, _label(*x), _label(*y))
    legend_below(figure, axes, columns=2)
    return figure


def _label(quantity: str, direction: str) -> str:
    better = "less" if direction == "minimise" else "more"
    words = axis_label(quantity.rpartition(".")[2]).words
    return f"{words[:1].upper()}{words[1:]}, ratio to the defaults ({better} is better)"


def _arms(rows: pl.DataFrame, axis: str) -> list[list[float]]:
    """How far the intervals reach below and above; nothing where there is none."""
    arms: list[list[float]] = [[], []]
    for value, low, high in rows.select(axis, f"{axis}_low", f"{axis}_high").iter_rows():
        arms[0].append(0 if low is None else value - low)
        arms[1].append(0 if high is None else high - value)
    return arms


def _join(axes: Axes, frame: pl.DataFrame) -> None:
    """A faint line from what the search saw of a setting to what was held out."""
    held = {row["number"]: row for row in frame.iter_rows(named=True) if row["kind"] == "held out"}
    for row in frame.filter(pl.col("kind") == "seen").iter_rows(named=True):
        other = held.get(row["number"])
        if other and None not in (row["x"], row["y"], other["x"], other["y"]):
            axes.plot([row["x"], other["x"]], [row["y"], other["y"]], color=FAINT, linewidth=1)
