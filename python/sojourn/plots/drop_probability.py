"""The drop probability of disciplines that have one: over time, and against the queue.

At the right stands what the probability is a function of: RED's average queue where the discipline
shows one, else the queue itself; in bytes where an average is. Points are samples of one replica.
"""

from __future__ import annotations

import polars as pl

from sojourn.plots.choice import PlotError, case_of, labels_of, link_of, replica_of
from sojourn.plots.looks import line_styles, looks
from sojourn.plots.over_time import NO_SERIES
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import UNITS
from sojourn.plots.style import legend_below, name_axes, new_panels
from sojourn.results import Results

COLUMNS = ("discipline", "time_s", "probability", "probability_is", "queue", "queue_is")
"""What the frame must hold; ``probability_is`` and ``queue_is`` say which series these are."""

NAMES = ("prob_classic", "prob", "prob_max", "p")
"""How disciplines call their probability; the first that is there is taken."""

FEW_LETTERS = 60
"""Of names under an axis; of more the frame tells which they are."""

NOT_OF_ALL = {
    "prob_classic": "the probability for classic packets, p' squared",
    "prob_max": "the largest probability of a bin",
}
"""What is said of those that do not hold for every packet."""

QUEUES = {"packets": ("avg", "queue_packets"), "bytes": ("avg_bytes", "queue_bytes")}
"""By unit: the average queue, and the queue itself."""


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
    labels = labels_of(results, case_of(results, case))
    found = []
    for point, discipline in labels.iter_rows():
        metrics = {
            str(key[0]): rows.select("time_s", "value")
            for key, rows in series.filter(pl.col("point") == point).group_by("metric")
        }
        if any(one in metrics for one in NAMES):
            found.append((discipline, metrics))
    if not found:
        raise PlotError(f"found no discipline at {name} that shows a drop probability")
    unit = "bytes" if any("avg_bytes" in metrics for _, metrics in found) else "packets"
    parts = []
    for discipline, metrics in found:
        probability = next(one for one in NAMES if one in metrics)
        queue = next(one for one in QUEUES[unit] if one in metrics)
        joined = metrics[probability].join(metrics[queue], on="time_s").sort("time_s")
        parts.append(
            joined.select(
                pl.lit(discipline).alias("discipline"),
                "time_s",
                pl.col("value").alias("probability"),
                pl.lit(probability).alias("probability_is"),
                pl.col("value_right").alias("queue"),
                pl.lit(queue).alias("queue_is"),
            )
        )
    return pl.concat(parts)


def limits(frame: pl.DataFrame) -> str:
    """Which probabilities of `frame` do not hold for every packet; empty where all do."""
    return "; ".join(
        f"of {_named(frame.filter(pl.col('probability_is') == one))} {what}"
        for one, what in NOT_OF_ALL.items()
        if one in frame["probability_is"]
    )


def _named(frame: pl.DataFrame) -> str:
    return " and ".join(one.label for one in looks(frame["discipline"]).values())


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`)."""
    figure, (left, right) = new_panels(1, 2, (7.2, 3.6), share=False)
    in_bytes = frame["queue_is"].str.ends_with("_bytes").any()
    factor, unit = UNITS["_bytes" if in_bytes else "_packets"]
    disciplines = looks(frame["discipline"])
    styles = line_styles(disciplines)
    for discipline, look in disciplines.items():
        rows = frame.filter(pl.col("discipline") == discipline)
        values = rows["probability"].to_numpy()
        left.plot(
            rows["time_s"].to_numpy(),
            values,
            color=look.colour,
            linestyle=styles[discipline],
            linewidth=1,
            label=look.label,
        )
        right.plot(
            rows["queue"].to_numpy() * factor,
            values,
            look.marker,
            color=look.colour,
            markersize=3.5,
            alpha=0.45,
        )
    for panel in (left, right):
        panel.set_ylim(bottom=0)
        panel.set_xlim(left=0)
    averaged = frame.filter(pl.col("queue_is").str.starts_with("avg"))
    queue = f"Queue ({unit})"
    if averaged.height == frame.height:
        queue = f"Average queue ({unit})"
    elif not averaged.is_empty():
        named = _named(averaged)
        queue += f"; of {named if len(named) <= FEW_LETTERS else 'some'} the average"
    name_axes(left, "Time (s)", "Drop probability")
    name_axes(right, queue, "")
    legend_below(figure, left)
    return figure
