"""Goodput against queueing delay, a dot for each replica and an ellipse for each discipline.

The ellipse is the 1-sigma contour of the two-dimensional Gaussian that fits the replicas best
(maximum likelihood), its centre the median, as RFC 7928, section 2.7, draws them. The delay axis
runs backwards: up and to the right is better.
"""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from matplotlib.patches import Ellipse

from sojourn.plots.choice import case_of, labels_of, link_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_figure
from sojourn.results import Results

COLUMNS = ("discipline", "replica", "delay_s", "goodput_bps")
"""What the frame must hold: a row for each replica."""


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
    """Draw `frame` (columns as `COLUMNS`). Raises ValueError when one is missing."""
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of delay and goodput lacks {', '.join(missing)}")
    figure, axes = new_figure()
    for discipline, shown in looks(frame["discipline"]).items():
        rows = frame.filter(pl.col("discipline") == discipline).drop_nulls()
        delays = rows["delay_s"].to_numpy() * 1e3
        goodputs = rows["goodput_bps"].to_numpy() / 1e6
        axes.scatter(delays, goodputs, s=14, color=shown.colour, alpha=0.5, linewidths=0)
        centre = float(np.median(delays)), float(np.median(goodputs))
        axes.plot(
            *centre,
            marker=shown.marker,
            color=shown.colour,
            markersize=8,
            linestyle="none",
            label=shown.label,
        )
        if len(delays) > 2:
            width, height, angle = contour(delays, goodputs)
            ellipse = Ellipse(centre, width, height, angle=angle, fill=False)
            ellipse.set(edgecolor=shown.colour, linewidth=1.4)
            axes.add_patch(ellipse)
    axes.margins(0.12)
    axes.invert_xaxis()
    name_axes(axes, "Mean queueing delay at the bottleneck (ms)", "Goodput of all flows (Mbit/s)")
    legend_below(figure, axes)
    return figure


def contour(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Axes and angle (degrees) of the 1-sigma ellipse of the points."""
    variances, directions = np.linalg.eigh(np.cov(x, y, bias=True))
    width, height = (2 * math.sqrt(max(float(one), 0.0)) for one in variances)
    angle = math.degrees(math.atan2(float(directions[1, 0]), float(directions[0, 0])))
    return width, height, angle
