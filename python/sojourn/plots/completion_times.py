"""Completion times of transfers by their size, or how many times the least possible they are.

Transfers that began in the window fall into classes of size, two in each factor of ten. The left
panel has the median of each class, the right one its 95th percentile, over the transfers of all
replicas. One that was under way when its run ended is known to take longer than it had by then, and
counts for that (E. L. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations",
Journal of the American Statistical Association 53 (1958) 457-481); of its slowdown nothing is
known, and it counts as longer than all others. The band is a 95 % interval from how the logarithm
of the quantile changes as each replica is left out (jackknife, with Student's t).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import polars as pl
from matplotlib.ticker import LogLocator, NullFormatter

from sojourn.plots.choice import PlotError, case_of, flows_of, labels_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import legend_below, name_axes, new_panels, titled
from sojourn.results import Results
from sojourn.stats.intervals import student_quantile

COLUMNS = ("discipline", "share", "size_bytes", "value", "low", "high")
"""What the frame must hold; ``size_bytes`` is the median size of a class, ``value`` null where the
quantile is not known. That of `gather` has ``quantity`` too, of which value, low and high are."""

MEASURES = {"fct_s": ("Completion time (ms)", 1e3), "slowdown": ("Slowdown", 1.0)}
"""What can be drawn: the label of its axis, and the factor to the unit there."""

SHARES = {0.5: "Median", 0.95: "95th percentile"}
"""The share of transfers that take no longer, and what that is called."""

CLASSES = 2
"""Classes of size in each factor of ten."""

ROUNDING = 1e-9
"""Logarithms and shares may fall short by less: that of 1000 is a little less than 3."""

BEYOND = 5
"""Transfers of a class that a quantile needs beyond it."""

Estimate = tuple[float | None, float | None, float | None]
"""A quantile with its interval; None where they are not known."""


def gather(
    results: Results, *, of: str | None = None, flow: str | None = None, case: int | None = None
) -> pl.DataFrame:
    """Quantiles of ``of`` by size, over all transfers or those of some flows. Raises PlotError."""
    measure = of or "fct_s"
    if measure not in MEASURES:
        raise PlotError(f"found {measure!r}; allowed: {' or '.join(MEASURES)}")
    found = _transfers(results, measure, flow, case)
    if found.is_empty():
        raise PlotError(_why_none(results, measure))
    sizes = dict(found.group_by("class").agg(pl.col("size_bytes").median()).sort("class").rows())
    by_class = {
        key: _arrays(part)
        for key, part in found.group_by("point", "discipline", "class", maintain_order=True)
    }
    points = found.select("point", "discipline").unique(maintain_order=True).rows()
    rows = []
    for share in SHARES:
        for number, size in sizes.items():
            for point, discipline in points:
                part = by_class.get((point, discipline, number))
                one = _estimate(part, share, point in results.alike) if part else (None,) * 3
                rows.append((discipline, measure, share, size, *one))
    texts: dict[str, type[pl.DataType]] = dict.fromkeys(("discipline", "quantity"), pl.String)
    schema = texts | dict.fromkeys(COLUMNS[1:], pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    known = frame.drop_nulls("value")
    if known.is_empty():
        raise PlotError(f"{measure} is known of too few transfers")
    return frame.filter(pl.col("size_bytes").is_in(known["size_bytes"].implode()))


def left_out(results: Results, *, flow: str | None = None, case: int | None = None) -> str:
    """Say what share of the transfers has no class, if any: pages that were under way."""
    begun = _begun(results, flow, case)
    share = begun["size_bytes"].null_count() / max(len(begun), 1)
    return f"Left out: {share:.1%}, under way and of unknown size" if share else ""


def _begun(results: Results, flow: str | None, case: int | None) -> pl.DataFrame:
    """The transfers that began in the window, with the points that they are of."""
    labels = labels_of(results, case_of(results, case))
    runs = labels.join(results.runs, on="point", maintain_order="left_right")
    transfers = results.transfers
    if flow is not None:
        transfers = transfers.filter(pl.col("flow").is_in(flows_of(results, flow)))
    begun = runs.join(transfers, on=("point", "replica"), maintain_order="left_right")
    return begun.filter(pl.col("began_s") >= pl.col("warmup_s"))


def _transfers(results: Results, measure: str, flow: str | None, case: int | None) -> pl.DataFrame:
    """Those whose class is known, and what each is known to take: ``value``, or longer."""
    core = results.scenario.core
    begun = _begun(results, flow, case)
    ends = {point: core.duration_s(point) for point in begun["point"].unique()}
    end = pl.col("point").replace_strict(ends, return_dtype=pl.Float64) if ends else pl.lit(0.0)
    seen = end - pl.col("began_s") if measure == "fct_s" else pl.lit(math.inf)
    is_done = pl.col("fct_s").is_not_null()
    return begun.select(
        *("point", "discipline", "replica", "size_bytes"),
        (pl.col("size_bytes").log10() * CLASSES + ROUNDING).floor().alias("class"),
        pl.when(is_done).then(measure).otherwise(seen).alias("value"),
        is_done.alias("is_done"),
        # Pages have no slowdown, and no size until they are complete.
    ).drop_nulls()


def _why_none(results: Results, measure: str) -> str:
    if results.scenario.identity(0).get("transfers") is not True:
        return "no transfers were recorded; allowed: a run with transfers = true"
    if measure == "slowdown" and not results.transfers.is_empty():
        return "no transfer has a slowdown: that of a web page is not known"
    return "no finite transfer began in the window"


def _arrays(part: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What transfers take, whether that is known, and their replicas, from the shortest on."""
    # Of two that are alike, the one that is complete goes first.
    rows = part.sort("value", "is_done", descending=[False, True])
    return tuple(rows[name].to_numpy() for name in ("value", "is_done", "replica"))  # pyright: ignore[reportReturnType]


def _estimate(part: Sequence[np.ndarray], share: float, is_alike: bool) -> Estimate:
    """A quantile over all replicas, and its interval if there are several."""
    values, is_done, replica = part
    whole = _quantile(values, is_done, share)
    if whole is None or len(values) * (1 - share) < BEYOND - ROUNDING:
        return None, None, None
    replicas = [] if is_alike else list(np.unique(replica))
    others = [_quantile(values[replica != one], is_done[replica != one], share) for one in replicas]
    if len(replicas) < 2 or None in others:
        return whole, None, None
    logs = np.log(np.array(others, dtype=float))
    spread = (len(logs) - 1) / len(logs) * float(np.sum((logs - logs.mean()) ** 2))
    factor = math.exp(student_quantile(len(logs) - 1) * math.sqrt(spread))
    return whole, whole / factor, whole * factor


def _quantile(values: np.ndarray, is_done: np.ndarray, share: float) -> float | None:
    """The least time within which so many are complete (Kaplan and Meier); None if not known."""
    longer = np.arange(len(values), 0, -1)
    remain = np.cumprod(np.where(is_done, 1 - 1 / longer, 1.0))
    reached = np.flatnonzero(remain <= 1 - share + ROUNDING)
    return float(values[reached[0]]) if len(reached) else None


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame`: a panel for each share, both axes by ratio."""
    label, factor = MEASURES[frame["quantity"][0]]
    figure, panels = new_panels(1, len(SHARES), (7.2, 3.9))
    for axes, (share, name) in zip(panels, SHARES.items(), strict=True):
        of_share = frame.filter(pl.col("share") == share)
        for discipline, look in looks(frame["discipline"]).items():
            rows = of_share.filter(pl.col("discipline") == discipline)
            sizes = rows["size_bytes"].to_numpy() * 1e-3
            value, low, high = (rows[one].to_numpy() * factor for one in COLUMNS[3:])
            axes.fill_between(sizes, low, high, color=look.colour, alpha=0.18, linewidth=0)
            axes.plot(
                sizes,
                value,
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
            # Five labels for each factor of ten have no room side by side.
            least, most = axis.get_data_interval()
            is_short = most < 30 * least or axis is axes.yaxis
            axis.set_major_locator(LogLocator(subs=(1, 2, 5) if is_short else (1,)))
            axis.set_major_formatter(lambda value, _: f"{value:g}")
            axis.set_minor_formatter(NullFormatter())
        titled(axes, name)
        name_axes(axes, "Size of the transfer (kB)", label if axes is panels[0] else "")
    legend_below(figure, panels[0], columns=4)
    return figure
