"""A time series: queues, delays, rates, windows of one replica.

Means over replicas would show a smoothness that no run has; so one replica is shown, the same for
all disciplines.
"""

from __future__ import annotations

import math
from typing import Literal

import polars as pl

from sojourn.plots.choice import PlotError, case_of, flows_of, labels_of, link_of, replica_of
from sojourn.plots.looks import line_styles, looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label
from sojourn.plots.style import legend_below, name_axes, new_panels, titled
from sojourn.results import Results

COLUMNS = ("discipline", "name", "time_s", "value")
"""What the frame must hold. That of `gather` has `metric` too, whose ending is the unit of the
value."""

MOST_FLOWS = 8
"""Flows in one figure; more of them nobody tells apart."""

NO_SERIES = (
    "the experiment has no time series; to record them: --set series='100 ms' in the command, or "
    'series = "100 ms" in the scenario file'
)


def gather(
    results: Results,
    metric: str,
    entity: Literal["link", "flow"],
    *,
    name: str | None = None,
    case: int | None = None,
    replica: int = 0,
) -> pl.DataFrame:
    """The series of a metric: of one link, or of the flows (or of those called ``name``).

    Raises PlotError where nothing was recorded or nothing has that name.
    """
    if results.time_series.is_empty():
        raise PlotError(NO_SERIES)
    replica_of(results, replica)
    labels = labels_of(results, case_of(results, case))
    series = results.series(metric).filter(
        (pl.col("entity") == entity) & (pl.col("replica") == replica)
    )
    if entity == "link":
        series = series.filter(pl.col("name") == link_of(results, name))
    elif name is not None:
        series = series.filter(pl.col("name").is_in(flows_of(results, name)))
    frame = labels.join(series, on="point", maintain_order="left_right")
    if frame.is_empty():
        known = sorted(set(results.time_series.filter(pl.col("entity") == entity)["metric"]))
        of = f" of {name}" if name else ""
        has = ", ".join(known) or "none"
        raise PlotError(f"found no series {metric!r}{of}; the {entity}s have {has}")
    return frame.select("discipline", "name", "metric", "time_s", "value")


def limits(frame: pl.DataFrame) -> str:
    """How many of the flows of `frame` are drawn; empty where all are."""
    count = frame["name"].n_unique()
    return f"the first {MOST_FLOWS} of {count} flows" if count > MOST_FLOWS else ""


def draw(frame: pl.DataFrame, metric: str) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): lines of one axes, or a panel for each discipline.

    Of many flows the first `MOST_FLOWS` are drawn; see `limits`.
    """
    names = list(dict.fromkeys(frame["name"]))[:MOST_FLOWS]
    disciplines = looks(frame["discipline"])
    columns = 1
    if len(names) == 1:
        figure, panels = new_panels(1, 1, (7.2, 4.0))
        parts = [(panels[0], "", disciplines, "discipline", frame)]
    else:
        columns = min(2, len(disciplines))
        rows = math.ceil(len(disciplines) / columns)
        figure, panels = new_panels(rows, columns, (7.2, 0.9 + 2.2 * rows))
        for panel in panels[len(disciplines) :]:
            panel.set_visible(False)
        parts = [
            (panel, look.label, looks(names), "name", frame.filter(pl.col("discipline") == name))
            for panel, (name, look) in zip(panels, disciplines.items(), strict=False)
        ]
    scale = axis_label(metric)
    for panel, title, lines, column, rows_ in parts:
        styles = line_styles(lines)
        for line, look in lines.items():
            of_line = rows_.filter(pl.col(column) == line)
            values = of_line["value"].to_numpy() * scale.factor
            times = of_line["time_s"].to_numpy()
            panel.plot(
                times,
                values,
                color=look.colour,
                linestyle=styles[line],
                linewidth=1.0,
                label=look.label,
                alpha=0.9,
            )
        titled(panel, title)
    # All panels share their axes: once they hold all lines.
    panels[0].set_ylim(bottom=0)
    for place, panel in enumerate(panels):
        is_first_column = place % 2 == 0 or len(parts) == 1
        name_axes(panel, "Time (s)", scale.label if is_first_column else "")
        panel.label_outer()
        if place + columns >= len(parts):  # nothing stands below it
            panel.tick_params(labelbottom=True)
            panel.set_xlabel("Time (s)")
    legend_below(figure, panels[0])
    return figure
