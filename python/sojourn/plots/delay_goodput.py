"""Goodput against queueing delay, a dot for each replica and an ellipse for each discipline.

The ellipse is the 1-sigma contour of the two-dimensional Gaussian that fits the replicas best
(maximum likelihood), and so around their means; the large mark is at their medians. So does RFC
7928, section 2.7, have both, but that it prints "1-epsilon", and has the throughput per sender;
here it is the goodput of all flows together. The delay axis runs backwards: up and to the right is
better. Where one delay is many times another the axis, and with it the ellipse, goes by ratio.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl

from sojourn.plots.choice import PlotError, case_of, labels_of, link_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_figure
from sojourn.results import Results

COLUMNS = ("discipline", "replica", "delay_s", "goodput_bps")
"""What the frame must hold: a row for each replica."""

MANY_TIMES = 20
"""From this ratio of the longest median delay to the shortest on, the axis goes by ratio."""


def gather(results: Results, *, link: str | None = None, case: int | None = None) -> pl.DataFrame:
    """Delay at a link and goodput of all flows, replica by replica."""
    delays = results.links.filter(pl.col("link") == link_of(results, link)).select(
        "point", "replica", pl.col("queueing_delay_mean_s").alias("delay_s")
    )
    goodputs = results.totals.select("point", "replica", "goodput_bps")
    return (
        labels_of(results, case_of(results, case))
        .join(delays, on="point", maintain_order="left_right")
        .join(goodputs, on=["point", "replica"], maintain_order="left")
        .select(COLUMNS)
    )


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`).

    Raises ValueError when one is missing, PlotError where no packet waited in any replica.
    """
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of delay and goodput lacks {', '.join(missing)}")
    if frame.drop_nulls().is_empty():
        raise PlotError("no packet was delayed")
    figure, axes = new_figure()
    by_ratio = goes_by_ratio(frame)
    for discipline, shown in looks(frame["discipline"]).items():
        rows = frame.filter(pl.col("discipline") == discipline).drop_nulls()
        delays = rows["delay_s"].to_numpy() * 1e3
        goodputs = rows["goodput_bps"].to_numpy() / 1e6
        axes.scatter(delays, goodputs, s=14, color=shown.colour, alpha=0.5, linewidths=0)
        # What has no value still has its name in the legend.
        axes.plot(
            [float(np.median(delays))] if len(delays) else [],
            [float(np.median(goodputs))] if len(goodputs) else [],
            marker=shown.marker,
            color=shown.colour,
            markersize=8,
            linestyle="none",
            label=shown.label,
        )
        if len(delays) > 2:
            axes.plot(*contour(delays, goodputs, by_ratio), color=shown.colour, linewidth=1.4)
    if by_ratio:
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    axes.margins(0.12)
    axes.invert_xaxis()
    x = "Mean queueing delay (ms), shorter to the right\n"
    x += "small marks: replicas; large ones: their medians; ellipses: 1 sigma around the means"
    name_axes(axes, x, "Goodput of all flows (Mbit/s)")
    legend_below(figure, axes)
    return figure


def goes_by_ratio(frame: pl.DataFrame) -> bool:
    """Whether the delay of one discipline is many times that of another."""
    medians = frame.group_by("discipline").agg(pl.col("delay_s").median())["delay_s"].drop_nulls()
    positive = frame["delay_s"].drop_nulls().min() != 0  # zero has no logarithm
    return len(medians) > 0 and positive and 0 < MANY_TIMES * min(medians) < max(medians)


def contour(x: np.ndarray, y: np.ndarray, by_ratio: bool) -> tuple[np.ndarray, np.ndarray]:
    """The 1-sigma ellipse of the points around their means, as a closed line.

    With `by_ratio` that of the logarithms of x.
    """
    if by_ratio:
        logs, up = contour(np.log(x), y, by_ratio=False)
        return np.exp(logs), up
    variances, directions = np.linalg.eigh(np.cov(x, y, bias=True))
    turn = np.linspace(0, 2 * math.pi, 73)
    circle = np.vstack([np.cos(turn), np.sin(turn)])
    across, up = directions @ (np.sqrt(np.maximum(variances, 0))[:, None] * circle)
    return np.mean(x) + across, np.mean(y) + up
