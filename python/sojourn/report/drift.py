"""Queues that are not the same throughout the window: those that still settle, or never will.

The window is cut into quarters. A queue drifts where its mean in the second half is another than
in the first: by a paired test over the replicas, with Holm's correction over the points, and by
more than a small share. It grows without end where that growth, had it lasted since the start of
the run, would make most of the queue, and goes on in the last quarter: a full queue does neither.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from sojourn.results import Results
from sojourn.stats.holm import holm
from sojourn.stats.paired import paired_p_value

SURE = 0.01
"""Error of the whole family of tests for drift."""

LEAST = 0.05
"""Change from the mean of one half to that of the other, as a share of it, that counts."""

MOST = 0.5
"""Share of a queue that growth makes, or of the growth that the last quarter has its part of, from
which on it is taken for one without end."""

QUARTERS = 4


@dataclass(frozen=True)
class Drift:
    """The mean queue of a point in packets, in both halves of the window."""

    point: int
    first_packets: float
    second_packets: float
    without_end: bool
    """Whether the queue grows for as long as the run lasts."""


@dataclass(frozen=True)
class _Window:
    """A point's queue: one row for each replica, one column for each quarter."""

    quarters: np.ndarray
    warmup_s: float
    end_s: float

    @property
    def halves(self) -> np.ndarray:
        """The mean of each half, of each replica."""
        return self.quarters.reshape(-1, 2, 2).mean(axis=2)


def is_checked(results: Results, link: str) -> bool:
    """Whether there are time series, fine enough and of replicas enough, to look for drifts."""
    return bool(_windows(results, link))


def drifts(results: Results, link: str) -> list[Drift]:
    """The points whose queue at ``link`` drifts; none where there is no series of it."""
    windows = _windows(results, link)
    points = [point for point in windows if point not in results.alike]
    tests = [paired_p_value(*windows[point].halves.T.tolist()) for point in points]
    found = []
    for point, p_value in zip(points, holm(tests), strict=True):
        first, second = windows[point].halves.mean(axis=0).tolist()
        if p_value <= SURE and abs(second - first) > LEAST * max(first, second):
            found.append(Drift(point, first, second, _without_end(windows[point])))
    return found


def _without_end(window: _Window) -> bool:
    means = window.quarters.mean(axis=0)
    first, second = window.halves.mean(axis=0)
    growth = second - first
    # From the middle of one half to that of the other.
    slope = growth / ((window.end_s - window.warmup_s) / 2)
    since_the_start = slope * (window.warmup_s + window.end_s) / 2
    # Where it is steady, a quarter more is half as much growth.
    goes_on = means[-1] - means[-2] > MOST * growth / 2
    return bool(goes_on and since_the_start > MOST * means.mean())


def _windows(results: Results, link: str) -> dict[int, _Window]:
    """The mean queue in each quarter of the window, of points with three replicas or more."""
    series = results.series("queue_mean_packets").filter(pl.col("name") == link)
    if series.is_empty():
        return {}
    window = results.runs.select("point", "replica", pl.col("warmup_s").fill_null(0.0))
    bounds = series.group_by("point").agg(
        pl.col("time_s").min().alias("interval_s"), pl.col("time_s").max().alias("end_s")
    )
    begin, middle = (pl.col("time_s") - share * pl.col("interval_s") for share in (1.0, 0.5))
    length = pl.col("end_s") - pl.col("warmup_s")
    inside = (
        series.join(window, on=["point", "replica"])
        .join(bounds, on="point")
        # What begins before the window is measured in part only.
        .filter(begin > pl.col("warmup_s") - pl.col("interval_s") * 1e-6)
        .with_columns(((middle - pl.col("warmup_s")) * QUARTERS // length).alias("quarter"))
    )
    means = inside.group_by("point", "replica", "warmup_s", "end_s", "quarter").agg(
        pl.col("value").mean()
    )
    names = [str(float(quarter)) for quarter in range(QUARTERS)]
    wide = means.pivot("quarter", index=["point", "replica", "warmup_s", "end_s"], values="value")
    if not set(names) <= set(wide.columns):
        return {}
    wide = wide.drop_nulls().sort("point", "replica")
    return {
        int(str(point)): _Window(rows.select(names).to_numpy(), *rows.row(0)[2:4])
        for (point,), rows in wide.group_by("point", maintain_order=True)
        if len(rows) > 2
    }
