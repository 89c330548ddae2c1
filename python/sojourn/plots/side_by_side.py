"""One metric, or several, of everything that is compared: a mark with its interval for each."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
from matplotlib.axes import Axes

from sojourn.comparing import per_replica
from sojourn.experiments.quantity import Quantity
from sojourn.plots.choice import PlotError, case_of, labels_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import PERCENT, AxisLabel, axis_label_of
from sojourn.plots.style import name_axes, name_rows, new_panels
from sojourn.results import Results
from sojourn.stats.intervals import student_interval

COLUMNS = ("discipline", "quantity", "mean", "low", "high")
"""What the frame must hold; low and high may be null."""

ROW, ROW_OF_TWO, AROUND = 0.3, 0.42, 1.0
"""Inches of a row, of one whose name may have two lines, and of what is around those of a panel."""

NAME, LABEL = 20, 28
"""Letters of a line beside a row and under a panel: they stay whole where the figure is made as
narrow as a column of a paper."""

MANY_TIMES = 20
"""From this ratio of the greatest mean to the least on, the axis goes by ratio."""

NEAR = 0.5
"""Where the least value is more than this share of the greatest, the axis does not begin at zero:
differences would not be seen."""


def gather(results: Results, of: str, *, case: int | None = None) -> pl.DataFrame:
    """Means with their intervals of the points of a case; ``of`` names quantities, with commas.

    Raises PlotError where there is one point only, or a quantity has no value at any of them.
    """
    chosen = case_of(results, case)
    if len(chosen.points) < 2:
        raise PlotError("found one point in the case; a comparison is of several")
    names = labels_of(results, chosen)["discipline"].to_list()
    rows = []
    for text in of.split(","):
        quantity = str(Quantity.read(text.strip(), results.scenario))
        values = per_replica(results, quantity)
        found = [student_interval(values[point]) for point in chosen.points]
        if all(one.mean is None for one in found):
            raise PlotError(f"{quantity} has no value at any point of the figure")
        for name, one in zip(names, found, strict=True):
            rows.append((name, quantity, one.mean, one.low, one.high))
    texts: dict[str, type[pl.DataType]] = dict.fromkeys(COLUMNS[:2], pl.String)
    schema = texts | dict.fromkeys(COLUMNS[2:], pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): a panel for each quantity, a row for each discipline.

    Two panels stand beside each other. Rows are in the order of the frame, the first on top.
    """
    disciplines = looks(frame["discipline"])
    quantities = list(dict.fromkeys(frame["quantity"]))
    columns = min(2, len(quantities))
    rows = math.ceil(len(quantities) / columns)
    names = [one.label for one in disciplines.values()]
    row_height = ROW if max(map(len, names)) <= NAME else ROW_OF_TWO
    height = rows * (AROUND + row_height * len(disciplines))
    figure, panels = new_panels(rows, columns, (7.2, height), share=False)
    for panel in panels[len(quantities) :]:
        panel.set_visible(False)
    for place, (panel, quantity) in enumerate(zip(panels, quantities, strict=False)):
        here = frame.filter(pl.col("quantity") == quantity)
        kind = label_of(quantity)
        for row, (discipline, look) in enumerate(disciplines.items()):
            one = here.row(by_predicate=pl.col("discipline") == discipline, named=True)
            if one["low"] is not None:
                ends = [one["low"] * kind.factor, one["high"] * kind.factor]
                panel.plot(ends, [row, row], "|-", color=look.colour, linewidth=1.8, markersize=7)
            if one["mean"] is not None:
                mean = one["mean"] * kind.factor
                # Whole at the edge, too: a loss of zero is a value.
                panel.plot(mean, row, look.marker, color=look.colour, markersize=6, clip_on=False)
        set_scale(panel, here.with_columns(pl.col("mean", "low", "high") * kind.factor), quantity)
        panel.set_ylim(len(disciplines) - 0.5, -0.5)
        panel.grid(False, axis="y")
        if place % columns == 0:
            name_rows(panel, names, NAME)
        else:
            panel.set_yticks(range(len(disciplines)), [""] * len(disciplines))
        with_interval = here["low"].is_not_null().any()
        below = f"{kind.label}\n" + ("with 95 % interval" if with_interval else "")
        name_axes(panel, below.rstrip(), "", LABEL)
        # Where names take most of a narrow figure, a line in the middle would be cut.
        panel.xaxis.label.set(x=1.0, ha="right")
    return figure


def label_of(quantity: str) -> AxisLabel:
    """How a quantity is shown; that of a link with whose it is, unless it is the bottleneck's."""
    how, parts = axis_label_of(quantity), quantity.split(".")
    name = ".".join(parts[1:-1])
    is_told = parts[0] == "links" and name != "bottleneck"
    return replace(how, words=f"{how.words} at {name}") if is_told else how


def set_scale(axes: Axes, rows: pl.DataFrame, quantity: str) -> None:
    """The scale of a panel: from zero; by ratio where means are many times each other; near the
    values where they are near each other. Of a share it ends where the share does."""
    ends = [*rows["low"].drop_nulls(), *rows["mean"].drop_nulls(), *rows["high"].drop_nulls()]
    least, most = min(ends), max(ends)
    means = rows["mean"].drop_nulls().to_list()
    axes.margins(x=0.08)
    if least > 0 and MANY_TIMES * min(means) < max(means):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        return
    if min(means) >= 0 and least < NEAR * most:
        axes.set_xlim(left=0)
    metric = quantity.rpartition(".")[2]
    whole = 100.0 if metric in PERCENT else 1.0 if metric == "jain_index" else math.inf
    low, high = axes.get_xlim()
    if max(means) <= whole < high:
        axes.set_xlim(right=whole + 0.02 * (whole - low))
