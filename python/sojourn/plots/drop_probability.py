"""The drop probability of disciplines that have one: over time, and against the queue.

At the right stands what the probability is a function of: RED's average queue where the discipline
shows one, else the queue itself. Points are samples of one replica.
"""

from __future__ import annotations

import polars as pl

from sojourn.plots.choice import PlotError, case_of, labels_of, link_of, replica_of
from sojourn.plots.looks import looks
from sojourn.plots.over_time import NO_SERIES
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_panels
from sojourn.results import Results

COLUMNS = ("discipline", "time_s", "probability", "queue", "queue_is")
"""What the frame must hold; ``queue_is`` says which queue: `avg` or `queue_packets`."""

NAMES = ("prob", "prob_max", "p")
"""How disciplines call their probability; the first that is there is taken."""

QUEUES = ("avg", "queue_packets")


def gather(
    results: Results, *, link: str | None = None, case: int | None = None, replica: int = 0
) -> pl.DataFrame:
    """The probabilities at a link. Raises PlotError where none was recorded."""
    if results.time_series.is_empty():
        raise PlotError(NO_SERIES)
    name = link_of(results, link)
    series = results.time_series.filter(
        (pl.col("entity") == "link")
        & (pl.col("name") == name)
        & (pl.col("replica") == replica_of(results, replica))
    )
    parts = []
    labels = labels_of(results, case_of(results, case))
    for point, discipline in labels.iter_rows():
        metrics = {
            str(key[0]): rows.select("time_s", "value")
            for key, rows in series.filter(pl.col("point") == point).group_by("metric")
        }
        probability = next((one for one in NAMES if one in metrics), None)
        if probability is None:
            continue
        queue = next(one for one in QUEUES if one in metrics)
        joined = metrics[probability].join(metrics[queue], on="time_s").sort("time_s")
        parts.append(
            joined.select(
                pl.lit(discipline).alias("discipline"),
                "time_s",
                pl.col("value").alias("probability"),
                pl.col("value_right").alias("queue"),
                pl.lit(queue).alias("queue_is"),
            )
        )
    if not parts:
        raise PlotError(f"found no discipline at {name} that shows a drop probability")
    return pl.concat(parts)


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`)."""
    figure, (left, right) = new_panels(1, 2, (7.2, 3.6), share=False)
    for discipline, look in looks(frame["discipline"]).items():
        rows = frame.filter(pl.col("discipline") == discipline)
        values = rows["probability"].to_numpy()
        left.plot(
            rows["time_s"].to_numpy(), values, color=look.colour, linewidth=1, label=look.label
        )
        right.plot(
            rows["queue"].to_numpy(),
            values,
            look.marker,
            color=look.colour,
            markersize=3.5,
            alpha=0.45,
        )
    for panel in (left, right):
        panel.set_ylim(bottom=0)
        panel.set_xlim(left=0)
    averaged = looks(frame.filter(pl.col("queue_is") == "avg")["discipline"])
    queue = "Queue (packets)"
    if averaged:
        queue += f"; of {' and '.join(one.label for one in averaged.values())} the average"
    name_axes(left, "Time (s)", "Drop probability")
    name_axes(right, queue, "")
    legend_below(figure, left)
    return figure
