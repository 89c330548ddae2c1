"""From the frames of a run to the quantities that the publication speaks of.

An observation is one point in one replica. Everything later is a query over observations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.four_aqms import scenario
from sojourn.studies.observed import Measure, table_of

PUBLISHED = ("red", "blue", "rem", "sfq")
"""The disciplines that the publication compares, in its order."""

DISCIPLINES = (*PUBLISHED, "droptail")
"""All that the study runs."""

SETTLED_S = 10.0
"""Trends over time begin here: what comes before is the start of all senders at once."""


MEASURES = table_of(
    (
        Measure("goodput_mbps", "Goodput", "Mbit/s"),
        Measure("tcp_mbps", "Goodput", "Mbit/s", of="TCP"),
        Measure("cbr_mbps", "Goodput", "Mbit/s", of="CBR"),
        Measure("utilisation_percent", "Utilisation", "%"),
        Measure("delay_ms", "End-to-end delay", "ms"),
        Measure("tcp_delay_ms", "End-to-end delay", "ms", of="TCP"),
        Measure("cbr_delay_ms", "End-to-end delay", "ms", of="CBR"),
        Measure("queueing_ms", "Queueing delay", "ms"),
        Measure("queueing_p99_ms", "Queueing delay, 99th percentile", "ms"),
        Measure("queue", "Mean queue", "packets"),
        Measure("loss_percent", "Loss ratio", "%"),
        Measure("tcp_loss_percent", "Loss ratio", "%", of="TCP"),
        Measure("cbr_loss_percent", "Loss ratio", "%", of="CBR"),
        Measure("jain", "Jain's index of all eight goodputs", ""),
        Measure("cwnd", "Congestion window, mean", "packets", of="TCP"),
        Measure("cwnd_sd", "Congestion window, standard deviation", "packets", of="TCP"),
        Measure("loss_trend", "Trend of the loss rate", "packets/s in 100 s"),
        Measure("loss_rate", "Loss rate", "packets/s"),
        Measure("full_percent", "Drops for lack of room", "% of the drops"),
        Measure("ack_drops", "Acknowledgements lost", "packets", of="ACK"),
    )
)
"""All quantities, by column, in the order of tables."""


def observations(frames: Frames) -> pl.DataFrame:
    """One row per point and replica: point, discipline, replica and the measures.

    Beside them: packets `received_packets` at all ends, and `departures` from the bottleneck.

    Columns that rest on time series (`cwnd_sd`, `loss_trend`, `loss_rate`) are null where there are
    none.
    """
    link = frames.links.filter(pl.col("link") == "bottleneck").select(
        "point",
        "replica",
        (pl.col("utilization") * 100).alias("utilisation_percent"),
        (pl.col("queueing_delay_mean_s") * 1e3).alias("queueing_ms"),
        (pl.col("queueing_delay_p99_s") * 1e3).alias("queueing_p99_ms"),
        pl.col("queue_mean_packets").alias("queue"),
        (pl.col("loss_ratio") * 100).alias("loss_percent"),
        pl.col("drops_packets").alias("drops"),
        pl.col("departures_packets").alias("departures"),
    )
    back = frames.links.filter(pl.col("link") == "bottleneck.reverse").select(
        "point", "replica", pl.col("drops_packets").alias("ack_drops")
    )
    ends = frames.totals.select(
        "point",
        "replica",
        (pl.col("goodput_bps") / 1e6).alias("goodput_mbps"),
        (pl.col("delay_mean_s") * 1e3).alias("delay_ms"),
        pl.col("jain_index").alias("jain"),
        "received_packets",
    )
    frame = points(frames.points)
    for part in (link, back, ends, group(frames, "tcp"), group(frames, "cbr"), room(frames)):
        on = [key for key in ("point", "replica") if key in frame.columns]
        frame = frame.join(part, on=on, how="left", maintain_order="left")
    for part in (window_spread(frames), loss_trend(frames)):
        frame = frame.join(part, on=["point", "replica"], how="left", maintain_order="left")
    full = 100 * pl.col("no_room").fill_null(0) / pl.col("drops")
    return (
        frame.with_columns(
            pl.when(pl.col("drops") > 0).then(full).otherwise(None).alias("full_percent")
        )
        .select("point", "discipline", "replica", *MEASURES, "received_packets", "departures")
        .sort("point", "replica")
    )


def points(frame: pl.DataFrame) -> pl.DataFrame:
    """The discipline of each point."""
    disciplines = [discipline_of(value) for value in frame[scenario.QUEUE_KEY]]
    return frame.select("point").with_columns(pl.Series("discipline", disciplines, pl.String))


def discipline_of(value: Any) -> str:
    """The discipline of a vary value: a table or its JSON text."""
    table: Mapping[str, Any] = value if isinstance(value, Mapping) else json.loads(value)
    return str(table["discipline"])


def group(frames: Frames, name: str) -> pl.DataFrame:
    """The measures of one class of senders, its name before each column."""
    rows = frames.groups.filter(pl.col("group") == name)
    columns = [
        (pl.col("goodput_bps") / 1e6).alias(f"{name}_mbps"),
        (pl.col("delay_mean_s") * 1e3).alias(f"{name}_delay_ms"),
        (pl.col("loss_ratio") * 100).alias(f"{name}_loss_percent"),
    ]
    if name == "tcp":
        columns.append(pl.col("cwnd_mean_packets").alias("cwnd"))
    return rows.select("point", "replica", *columns)


def room(frames: Frames) -> pl.DataFrame:
    """Packets dropped at the bottleneck because they found no room."""
    here = (pl.col("link") == "bottleneck") & (pl.col("kind") == "drop")
    return frames.drops.filter(here & (pl.col("reason") == "overlimit")).select(
        "point", "replica", pl.col("packets").cast(pl.Float64).alias("no_room")
    )


def window_spread(frames: Frames) -> pl.DataFrame:
    """Standard deviation of all samples of all windows of a run."""
    return (
        frames.series("cwnd_packets")
        .group_by("point", "replica", maintain_order=True)
        .agg(pl.col("value").std(ddof=0).alias("cwnd_sd"))
    )


def loss_trend(frames: Frames) -> pl.DataFrame:
    """Slope of the drops per second over time at the bottleneck, by least squares; their mean."""
    drops = frames.series("drops_packets").filter(
        (pl.col("name") == "bottleneck") & (pl.col("time_s") > SETTLED_S)
    )
    interval = pl.col("time_s").diff().median()
    time, rate = pl.col("time_s"), pl.col("value")
    slope = pl.cov(time, rate) / time.var() / interval
    return drops.group_by("point", "replica", maintain_order=True).agg(
        (100 * slope).alias("loss_trend"), (rate.mean() / interval).alias("loss_rate")
    )
