"""Completion times of transfers by their size, or how many times the least possible they are.

Transfers fall into classes of size, two in each factor of ten. The left panel has the median of
each class, the right one its 95th percentile: the line is the mean over replicas, the band its 95 %
Student interval. Counted are transfers that began in the window. One that was under way at its end
counts as longer than all others; a quantile that is one of these is not known, and not drawn.
"""

from __future__ import annotations

import math

import polars as pl
from matplotlib.ticker import LogLocator, NullFormatter

from sojourn.plots.choice import PlotError, case_of, flows_of, labels_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_panels, titled
from sojourn.results import Results
from sojourn.stats.alike import sampled
from sojourn.stats.intervals import student_interval

COLUMNS = ("discipline", "share", "size_bytes", "mean", "low", "high")
"""What the frame must hold besides ``of``; ``size_bytes`` is the median size of a class."""

MEASURES = {"fct_s": ("Completion time (ms)", 1e3), "slowdown": ("Slowdown", 1.0)}
"""What is drawn: the label of its axis, and the factor to the unit there."""

SHARES = {0.5: "Median", 0.95: "95th percentile"}
"""The shares of transfers that take no longer, and what that is called."""

CLASSES = 2
"""Classes of size in each factor of ten."""

ROUNDING = 1e-9
"""The logarithm of 1000 is a little less than 3."""

LEAST = 2
"""Transfers of a class and replica, on average, for each that is longer than the quantile."""


def gather(
    results: Results, *, of: str | None = None, flow: str | None = None, case: int | None = None
) -> pl.DataFrame:
    """Quantiles of ``of`` by size, over all transfers or those of some flows. Raises PlotError."""
    measure = of or "fct_s"
    if measure not in MEASURES:
        raise PlotError(f"found {measure!r}; allowed: {' or '.join(MEASURES)}")
    if results.transfers.is_empty():
        raise PlotError("no transfers were recorded; allowed: a run with transfers = true")
    transfers = results.transfers
    if flow is not None:
        transfers = transfers.filter(pl.col("flow").is_in(flows_of(results, flow)))
    labels = labels_of(results, case_of(results, case))
    runs = labels.join(results.runs, on="point", maintain_order="left_right")
    transfers = results.transfers
    if flow is not None:
        transfers = transfers.filter(pl.col("flow").is_in(flows_of(results, flow)))
    found = (
        runs.join(transfers, on=("point", "replica"), maintain_order="left_right")
        .filter(pl.col("began_s") >= pl.col("warmup_s"))
        .select(
            *("point", "discipline", "replica", "size_bytes"),
            (pl.col("size_bytes").log10() * CLASSES + ROUNDING).floor().alias("class"),
            pl.when(pl.col("fct_s").is_null()).then(math.inf).otherwise(measure).alias("value"),
        )
        # The size of a page that was under way is not known, nor is the slowdown of any page.
        .drop_nulls()
    )
    of_class = found.group_by("class").agg(pl.col("size_bytes").median(), pl.len() / len(runs))
    rows = []
    for share in SHARES:
        sizes = of_class.filter(pl.col("len") * (1 - share) >= 1)
        by_replica = found.join(sizes.select("class"), on="class").group_by(
            "point", "discipline", "class", "replica"
        )
        quantiles = by_replica.agg(pl.col("value").quantile(share, "higher"))
        median_size = dict(sizes.select("class", "size_bytes").rows())
        keys = ("class", "point", "discipline")
        each = quantiles.sort("class", "point", "replica").group_by(keys, maintain_order=True)
        for (number, point, discipline), of_replicas in each:
            values = of_replicas["value"].to_list()
            if math.inf not in values:
                one = student_interval(sampled(values, point in results.alike))
                size = median_size[number]
                rows.append((discipline, measure, share, size, one.mean, one.low, one.high))
    texts: dict[str, type[pl.DataType]] = dict.fromkeys(("discipline", "quantity"), pl.String)
    schema = texts | dict.fromkeys(COLUMNS[1:], pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    if frame.is_empty():
        raise PlotError(f"{measure} is known of too few transfers")
    return frame


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame`: a panel for each share, both axes by ratio."""
    label, factor = MEASURES[frame["quantity"][0]]
    figure, panels = new_panels(1, len(SHARES), (7.2, 3.9))
    for axes, (share, name) in zip(panels, SHARES.items(), strict=True):
        of_share = frame.filter(pl.col("share") == share)
        for discipline, look in looks(frame["discipline"]).items():
            rows = of_share.filter(pl.col("discipline") == discipline)
            sizes = rows["size_bytes"].to_numpy() * 1e-3
            low, high = (rows[one].to_numpy() * factor for one in ("low", "high"))
            axes.fill_between(sizes, low, high, color=look.colour, alpha=0.18, linewidth=0)
            axes.plot(
                sizes,
                rows["mean"].to_numpy() * factor,
                color=look.colour,
                linestyle=look.line,
                linewidth=1.8,
                marker=look.marker,
                markersize=4.5,
                label=look.label,
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(NullFormatter())
        titled(axes, name)
        name_axes(axes, "Size of the transfer (kB)", label if axes is panels[0] else "")
    legend_below(figure, panels[0], columns=4)
    return figure
