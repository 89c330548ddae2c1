"""The distribution of delay: the share of packets that had at most so much.

Each run keeps the quantiles of its delays at 27 shares (crates/measure/src/delays.rs), right to
1/256 of their value. The line is the mean over replicas of each quantile, the band its 95 %
Student interval; nothing is smoothed, the line is straight between the shares.
"""

from __future__ import annotations

import polars as pl

from sojourn.plots.choice import PlotError, case_of, fitting, labels_of, link_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_figure
from sojourn.results import Results
from sojourn.stats.alike import sampled
from sojourn.stats.intervals import student_interval

COLUMNS = ("discipline", "share", "delay_s", "low_s", "high_s")
"""What the frame must hold."""

QUEUEING, ONE_WAY = "Queueing delay (ms)", "One-way delay (ms)"


def gather(
    results: Results, *, link: str | None = None, flow: str | None = None, case: int | None = None
) -> pl.DataFrame:
    """Queueing delays of a link, or one-way delays of the flows of a name (``total``: of all).

    Raises PlotError where nothing has that name or several have, or no packet came.
    """
    if link is not None and flow is not None:
        raise PlotError("found a link and a flow; allowed: one of them")
    if flow is None:
        entity, name = "link", link_of(results, link)
    else:
        entity, name = ("total", "") if flow == "total" else ("group", _group(results, flow))
    wanted = results.delays.filter((pl.col("entity") == entity) & (pl.col("name") == name))
    frame = labels_of(results, case_of(results, case)).join(
        wanted, on="point", maintain_order="left_right"
    )
    if frame.is_empty() and flow is None:
        raise PlotError(f"no packet was delayed at the link {name}")
    if frame.is_empty():
        known = sorted(set(results.delays.filter(pl.col("entity") == "group")["name"]))
        flows = ", ".join(["total", *known])
        raise PlotError(f"found no delays of {flow!r}; flows: {flows}")
    rows = []
    keys = ("point", "discipline", "share")
    for (point, *key), of_share in frame.group_by(keys, maintain_order=True):
        one = student_interval(sampled(of_share["delay_s"].to_list(), point in results.alike))
        rows.append((*key, one.mean, one.low, one.high))
    schema = {"discipline": pl.String} | dict.fromkeys(COLUMNS[1:], pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _group(results: Results, asked: str) -> str:
    """The one name that flows share which fits what is asked for; that itself where none does."""
    known = sorted(set(results.delays.filter(pl.col("entity") == "group")["name"]))
    fit = fitting(asked, known)
    found = sorted({name for names in fit.values() for name in names})
    if not all(fit.values()):
        return asked
    if len(found) > 1:
        several = f"found {asked!r}, which fits {', '.join(found)}"
        raise PlotError(f"{several}; a distribution is of the flows of one name, or of total")
    return found[0]


def draw(frame: pl.DataFrame, x_label: str = QUEUEING) -> Plot:
    """Draw `frame` (columns as `COLUMNS`)."""
    figure, axes = new_figure()
    for discipline, look in looks(frame["discipline"]).items():
        rows = frame.filter(pl.col("discipline") == discipline)
        shares = rows["share"].to_numpy()
        if rows["low_s"].is_not_null().any():
            low, high = (rows[one].cast(pl.Float64).to_numpy() * 1e3 for one in ("low_s", "high_s"))
            axes.fill_betweenx(shares, low, high, color=look.colour, alpha=0.18, linewidth=0)
        axes.plot(
            rows["delay_s"].to_numpy() * 1e3,
            shares,
            color=look.colour,
            linestyle=look.line,
            linewidth=1.8,
            marker=look.marker,
            markersize=4,
            markevery=4,
            label=look.label,
        )
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.01)
    name_axes(axes, x_label, "Share of packets with at most this delay")
    legend_below(figure, axes)
    return figure
