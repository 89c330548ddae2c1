"""Ranks side by side: an axis for each metric, a line for each discipline.

A better rank stands only where the paired intervals, corrected by Holm, separate (`stats/ranking`):
disciplines that do not separate share a place.
"""

from __future__ import annotations

import textwrap

import polars as pl

from sojourn.comparing import ranking
from sojourn.metrics import better
from sojourn.plots.choice import PlotError, case_of, labels_of, link_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label_of
from sojourn.plots.style import FAINT, TEXT, legend_below, name_axes, new_figure
from sojourn.results import Results

COLUMNS = ("discipline", "metric", "place", "rank", "mean")
"""What the frame must hold. That of `gather` has `quantity` too, whose ending is the unit of the
mean."""


def usual(results: Results, link: str | None = None) -> list[str]:
    """The quantities that a comparison is about.

    Fairness is that of the flows of one name: others may want different amounts.
    """
    name = link_of(results, link)
    quantities = [
        f"links.{name}.queueing_delay_mean_s",
        f"links.{name}.queueing_delay_p99_s",
        "total.goodput_bps",
        f"links.{name}.loss_ratio",
    ]
    sizes = results.flows.group_by("group", maintain_order=True).agg(pl.col("flow").n_unique())
    return quantities + [
        f"groups.{name}.jain_index" for name, size in sizes.iter_rows() if size > 1
    ]


def gather(
    results: Results, *, of: str | None = None, link: str | None = None, case: int | None = None
) -> pl.DataFrame:
    """The rank of each discipline in each quantity; ``of`` names others, with commas.

    Raises PlotError where there is one discipline only, or one of the others has no value.
    """
    chosen = case_of(results, case)
    if len(chosen.points) < 2:
        raise PlotError("found one discipline; a ranking is of several")
    labels = labels_of(results, chosen)
    quantities = usual(results, link) if of is None else [one.strip() for one in of.split(",")]
    parts = []
    for place, quantity in enumerate(quantities):
        metric = quantity.rpartition(".")[2]
        end = better(metric)
        if end is None:
            raise PlotError(f"found {metric!r}: neither more nor less of it is better")
        ranked = labels.join(ranking(results, quantity, end), on="point", maintain_order="left")
        if of is not None and ranked["mean"].drop_nulls().is_empty():
            raise PlotError(f"{quantity} has no value at any point of the figure")
        parts.append(
            ranked.select(
                "discipline",
                pl.lit(quantity).alias("quantity"),
                pl.lit(axis_label_of(quantity).words).alias("metric"),
                pl.lit(place).alias("place"),
                "rank",
                "mean",
            )
        )
    return pl.concat(parts)


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`); the best rank is at the top."""
    disciplines = looks(frame["discipline"])
    places = frame.select("place", "metric").unique(maintain_order=True).sort("place")
    figure, axes = new_figure((7.2, 2.2 + 0.4 * len(disciplines)))
    step = 0.5 / max(len(disciplines), 2)
    for number, (discipline, look) in enumerate(disciplines.items()):
        rows = frame.filter(pl.col("discipline") == discipline).sort("place")
        # Those that share a rank stand beside each other, not over each other.
        shift = (number - (len(disciplines) - 1) / 2) * step
        axes.plot(
            rows["place"].to_numpy(),
            rows["rank"].to_numpy() + shift,
            color=look.colour,
            linestyle=look.line,
            linewidth=1.8,
            marker=look.marker,
            markersize=7,
            label=look.label,
        )
    axes.grid(False)
    for place in places["place"]:
        axes.axvline(place, color=FAINT, linewidth=1, zorder=0)
    words = [textwrap.fill(metric, 16) for metric in places["metric"]]
    axes.set_xticks(places["place"].to_list(), words, fontsize=TEXT - 1)
    axes.set_ylim(len(disciplines) + 0.6, 0.4)
    axes.set_yticks(range(1, len(disciplines) + 1))
    name_axes(axes, "", "Rank (1 is best)")
    legend_below(figure, axes)
    return figure
