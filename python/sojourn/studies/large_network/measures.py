"""From the frames of a run to the quantities that the paper reports."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.large_network import scenario
from sojourn.studies.observed import Measure, Observed, table_of
from sojourn.studies.parts import Part

MEASURES = table_of(
    (
        Measure("throughput", "Throughput, headers included", "kbit/s", "higher"),
        Measure("goodput", "Goodput", "kbit/s", "higher"),
        Measure("loss", "Packet loss ratio", "%", "lower"),
        Measure("delay", "End-to-end delay", "ms", "lower"),
        Measure("jain", "Jain's index", "", "higher"),
        Measure("queue", "Mean queue at the fullest link", "packets", "lower"),
        Measure("queue_most", "Longest queue anywhere", "packets", "lower"),
        Measure("utilisation", "Utilisation of the busiest link", "%", "higher"),
        Measure("sent", "Packets sent", "packets", "higher"),
    )
)
"""All quantities, by column."""

TIMED = table_of(
    (
        Measure("queue_sd", "Standard deviation of the queue over time", "packets", "lower"),
        Measure("average_sd", "Standard deviation of RED's average over time", "packets", "lower"),
        Measure("queue_step", "Mean change of the queue in 50 ms", "packets", "lower"),
        Measure("average_step", "Mean change of RED's average in 50 ms", "packets", "lower"),
    )
)
"""What the queue over time gives."""

CASES: Mapping[str, str] = {
    "many-to-one-udp": f"{scenario.UDP_SENDERS} senders, UDP",
    "many-to-many": "cases 1 to 3 at once",
    "case-1": "case 1",
    "case-2": "case 2",
    "case-3": "case 3",
    "all-to-all": "all to all, 64 flows",
}
"""The case of each part that has only one."""

TRUNK = "core-trunk"
"""The link that all share in the first network."""


def access_case(rate: str) -> str:
    """The case of clients with links of their own of this rate."""
    return f"clients' links of {rate}"


def points(part: Part) -> pl.DataFrame:
    """What each point is: point, case, subject."""
    frame = part.points()
    if part.name in CASES:
        frame = frame.with_columns(pl.lit(CASES[part.name]).alias("case"))
    elif part.name == "queue-limits":
        frame = frame.with_columns(pl.concat_str("case", "limit", separator=", ").alias("case"))
    elif part.name == "phase-effect":
        names = {rate: access_case(rate) for rate in scenario.ACCESS_RATES}
        frame = frame.with_columns(pl.col("access").replace(names).alias("case"))
    elif part.name == "over-time":
        frame = frame.with_columns(pl.lit(scenario.senders_name(scenario.SENDERS[0])).alias("case"))
    return frame.select("point", "case", "subject")


def observe(frames: Frames, part: Part) -> pl.DataFrame:
    """The observations of one part."""
    links = frames.links.group_by("point", "replica").agg(
        pl.col("queue_mean_packets").max().alias("queue"),
        pl.col("queue_max_packets").max().alias("queue_most"),
        (pl.col("utilization").max() * 100).alias("utilisation"),
    )
    totals = frames.totals.select(
        "point",
        "replica",
        (pl.col("throughput_bps") / 1e3).alias("throughput"),
        (pl.col("goodput_bps") / 1e3).alias("goodput"),
        (pl.col("loss_ratio") * 100).alias("loss"),
        (pl.col("delay_mean_s") * 1e3).alias("delay"),
        pl.col("jain_index").alias("jain"),
        pl.col("sent_packets").alias("sent"),
    )
    return (
        points(part)
        .join(totals, on="point")
        .join(links, on=["point", "replica"])
        .sort("point", "replica")
        .select("case", "subject", "replica", *(pl.col(one).cast(pl.Float64) for one in MEASURES))
    )


def observe_all(results: Mapping[str, Frames], plans: Mapping[str, Part]) -> Observed:
    """The observations of all parts but the one over time."""
    frames = [observe(results[name], plans[name]) for name in plans if name != "over-time"]
    return Observed(pl.concat(frames), MEASURES)


def queue_over_time(frames: Frames, part: Part) -> pl.DataFrame:
    """Queue and RED's average at the shared link: subject, replica, time_s, queue, average."""
    trunk = pl.col("name") == TRUNK
    queue, average = (
        frames.series(metric).filter(trunk).select("point", "replica", "time_s", "value")
        for metric in ("queue_packets", "avg")
    )
    keys = ["point", "replica", "time_s"]
    return (
        points(part)
        .join(queue.rename({"value": "queue"}), on="point")
        .join(average.rename({"value": "average"}), on=keys)
        .sort(keys)
        .select("case", "subject", "replica", "time_s", "queue", "average")
    )


def observe_timed(timed: pl.DataFrame) -> Observed:
    """How much queue and average vary."""
    frame = timed.group_by("case", "subject", "replica", maintain_order=True).agg(
        pl.col("queue").std().alias("queue_sd"),
        pl.col("average").std().alias("average_sd"),
        pl.col("queue").diff().abs().mean().alias("queue_step"),
        pl.col("average").diff().abs().mean().alias("average_step"),
    )
    return Observed(frame, TIMED)
