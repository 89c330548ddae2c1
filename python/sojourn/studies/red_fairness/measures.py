"""From the frames of a run to the quantities that the publication speaks of."""

from __future__ import annotations

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.observed import Measure, table_of
from sojourn.studies.parts import Part
from sojourn.studies.red_fairness import scenario

DISCIPLINES = ("red", "droptail")
"""Both are the publication's."""


MEASURES = table_of(
    (
        Measure("goodput_mbps", "Goodput of all connections", "Mbit/s"),
        Measure("jain", "Jain's fairness index", ""),
        Measure("loss_percent", "Loss ratio", "%"),
        Measure("utilisation_percent", "Utilisation", "%"),
        Measure("queue", "Mean queue", "packets"),
        Measure("full_percent", "Drops for lack of room", "% of the drops"),
        Measure("drop_slope", "Share of drops over share of throughput", ""),
    )
)
"""All quantities, by column, in the order of tables."""


BESIDE = ("received_packets", "departures", "queueing_ms")
"""Columns that only the laws ask for: packets received, served by the bottleneck, their wait."""


def points(part: Part) -> pl.DataFrame:
    """What each point is. A queue is a discipline and its set-up, an access link a `spread` (what
    D is) and `at` (how much); elsewhere `at` is the number of connections."""
    frame = part.points()
    for axis, names in (("queue", ("discipline", "setup")), ("access", ("spread", "at"))):
        if axis in frame.columns:
            step = pl.col(axis).str.split_exact(scenario.AND, 1).struct.rename_fields(names)
            frame = frame.with_columns(step).unnest(axis)
    return frame.cast({one: pl.Int64 for one in ("case", "at") if one in frame.columns})


def observations(frames: Frames, part: Part) -> pl.DataFrame:
    """One row per point and replica: what the point is, and the measures."""
    link = frames.links.filter(pl.col("link") == "bottleneck").select(
        "point",
        "replica",
        (pl.col("loss_ratio") * 100).alias("loss_percent"),
        (pl.col("utilization") * 100).alias("utilisation_percent"),
        pl.col("queue_mean_packets").alias("queue"),
        pl.col("drops_packets").alias("drops"),
        pl.col("departures_packets").alias("departures"),
        (pl.col("queueing_delay_mean_s") * 1e3).alias("queueing_ms"),
    )
    ends = frames.totals.select(
        "point",
        "replica",
        (pl.col("goodput_bps") / 1e6).alias("goodput_mbps"),
        pl.col("jain_index").alias("jain"),
        "received_packets",
    )
    here = (pl.col("link") == "bottleneck") & (pl.col("kind") == "drop")
    no_room = frames.drops.filter(here & (pl.col("reason") == "overlimit")).select(
        "point", "replica", pl.col("packets").alias("no_room")
    )
    what = points(part)
    joined = what.join(link, on="point", maintain_order="left")
    for further in (ends, no_room, drop_slope(frames)):
        joined = joined.join(further, on=["point", "replica"], how="left", maintain_order="left")
    full = 100 * pl.col("no_room").fill_null(0) / pl.col("drops")
    return (
        joined.with_columns(
            pl.when(pl.col("drops") > 0).then(full).otherwise(None).alias("full_percent")
        )
        .select(*what.columns, "replica", *MEASURES, *BESIDE)
        .sort("point", "replica")
    )


def drop_slope(frames: Frames) -> pl.DataFrame:
    """Slope of a connection's share of the drops over its share of the packets sent.

    1 where drops are in proportion to what is sent, 0 where all connections lose alike. Undefined
    without drops, or where all send the same.
    """
    # Of packets that are still on their way nothing is lost yet.
    lost = pl.col("loss_ratio") * pl.col("resolved_packets")
    shares = (
        frames.flows.with_columns(lost.alias("lost"))
        .with_columns(
            (pl.col("lost") / pl.col("lost").sum()).over("point", "replica").alias("of_drops"),
            (pl.col("sent_packets") / pl.col("sent_packets").sum())
            .over("point", "replica")
            .alias("of_sent"),
        )
        .group_by("point", "replica", maintain_order=True)
        .agg(
            pl.cov("of_drops", "of_sent").alias("covariance"),
            pl.col("of_sent").var().alias("variance"),
            pl.col("lost").sum().alias("lost"),
        )
    )
    slope = pl.col("covariance") / pl.col("variance")
    told_apart = (pl.col("lost") > 0) & (pl.col("variance") > 1e-12)
    return shares.select(
        "point", "replica", pl.when(told_apart).then(slope).otherwise(None).alias("drop_slope")
    )
