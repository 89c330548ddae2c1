"""Time series of a run, made ready for figures: rates over bins, running means, bands."""

from __future__ import annotations

import polars as pl

from sojourn.stats import student_interval
from sojourn.studies.base import Frames


def of_replica(frames: Frames, metric: str, replica: int = 0) -> pl.DataFrame:
    """The series of one metric in one replica: point, name, time_s, value."""
    rows = frames.series(metric).filter(pl.col("replica") == replica)
    return rows.select("point", "name", "time_s", "value")


def running_mean(frame: pl.DataFrame) -> pl.DataFrame:
    """Each value replaced by the mean of all up to it, by point and name; undefined ones do not
    count, and before the first that is defined there is no mean."""
    count = pl.col("value").is_not_null().cum_sum()
    so_far = pl.when(count > 0).then(pl.col("value").fill_null(0).cum_sum() / count)
    return frame.sort("time_s").with_columns(so_far.over("point", "name").alias("value"))


def binned(frame: pl.DataFrame, width_s: float) -> pl.DataFrame:
    """Means over bins of `width_s`, at the middle of each bin, by all other columns.

    A value describes the interval that ends at its time, so a bin is (start, end].
    """
    bin_end = (pl.col("time_s") / width_s - 1e-9).ceil() * width_s
    keys = [name for name in frame.columns if name not in ("time_s", "value")]
    return (
        frame.with_columns(bin_end.alias("time_s"))
        .group_by(*keys, "time_s", maintain_order=True)
        .agg(pl.col("value").mean())
        .with_columns(pl.col("time_s") - width_s / 2)
    )


def band(frame: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Mean and 95 % interval over replicas at each time: columns value, low, high."""
    rows: list[dict[str, object]] = []
    for key, part in frame.group_by(*by, "time_s", maintain_order=True):
        one = student_interval(part["value"])
        row: dict[str, object] = dict(zip([*by, "time_s"], key, strict=True))
        rows.append(row | {"value": one.mean, "low": one.low, "high": one.high})
    numbers = dict.fromkeys(("value", "low", "high"), pl.Float64)
    schema = {name: frame.schema[name] for name in [*by, "time_s"]} | numbers
    return pl.DataFrame(rows, schema=schema)
