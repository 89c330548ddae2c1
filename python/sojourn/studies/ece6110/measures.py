"""From the frames of a run to the quantities that the report shows."""

from __future__ import annotations

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.observed import Measure, Observed, table_of
from sojourn.studies.parts import Part

MEASURES = table_of(
    (
        Measure("udp", "Goodput of UDP", "kbit/s", "higher"),
        Measure("tcp-1", "Goodput of TCP 1", "kbit/s", "higher"),
        Measure("tcp-2", "Goodput of TCP 2", "kbit/s", "higher"),
        Measure("tcp", "Goodput of one TCP connection", "kbit/s", "higher"),
        Measure("total", "Goodput of all three", "kbit/s", "higher"),
        Measure("loss_percent", "Loss ratio", "%", "lower"),
        Measure("udp_loss_percent", "Loss ratio of UDP", "%", "lower"),
        Measure("udp_delay_ms", "End-to-end delay of UDP", "ms", "lower"),
        Measure("jain", "Jain's index of the three goodputs", "", "higher"),
        Measure("queue_1", "Mean queue at the first bottleneck", "packets", "lower"),
        Measure("queue", "Mean queue at the second bottleneck", "packets", "lower"),
        Measure("drops_1", "Drops at the first bottleneck", "packets", "lower"),
        Measure("drops", "Drops at the second bottleneck", "packets", "lower"),
        Measure("udp_sent", "Packets that UDP sent", "packets", "higher"),
        Measure("in_flight_kb", "Mean window of a TCP connection", "kB", "higher"),
    )
)
"""All quantities, by column."""

FLOWS = {"udp": "UDP", "tcp-1": "TCP 1", "tcp-2": "TCP 2"}
"""The sources, with their names in print."""

SEGMENT_KB = 0.512


def observe(frames: Frames, part: Part) -> Observed:
    """The observations of one part; axes beside load and queue become part of the case."""
    points = part.points()
    further = [axis.name for axis in part.axes if axis.name not in ("case", "subject")]
    if further:
        case = pl.concat_str(["case", *further], separator=", ")
        points = points.with_columns(case.alias("case"))
    frame = (
        points.select("point", "case", "subject")
        .join(flows(frames), on="point")
        .join(links(frames), on=["point", "replica"])
        .join(totals(frames), on=["point", "replica"])
        .with_columns(
            ((pl.col("tcp-1") + pl.col("tcp-2")) / 2).alias("tcp"),
            (pl.col("udp") + pl.col("tcp-1") + pl.col("tcp-2")).alias("total"),
        )
        .sort("point", "replica")
        .select("case", "subject", "replica", *MEASURES)
    )
    return Observed(frame, MEASURES)


def flows(frames: Frames) -> pl.DataFrame:
    """Goodput by flow in kbit/s, and what is known of UDP alone and of TCP's windows."""
    wide = frames.flows.pivot(
        "flow",
        index=["point", "replica"],
        values=["goodput_bps", "loss_ratio", "delay_mean_s", "sent_packets", "cwnd_mean_packets"],
    )
    windows = pl.mean_horizontal("cwnd_mean_packets_tcp-1", "cwnd_mean_packets_tcp-2")
    return wide.select(
        "point",
        "replica",
        *((pl.col(f"goodput_bps_{flow}") / 1e3).alias(flow) for flow in FLOWS),
        (pl.col("loss_ratio_udp") * 100).alias("udp_loss_percent"),
        (pl.col("delay_mean_s_udp") * 1e3).alias("udp_delay_ms"),
        pl.col("sent_packets_udp").alias("udp_sent"),
        (windows * SEGMENT_KB).alias("in_flight_kb"),
    )


def links(frames: Frames) -> pl.DataFrame:
    """Queue and drops of both bottlenecks, towards the sinks."""
    names = {"bottleneck-1": "_1", "bottleneck-2": ""}
    wide = frames.links.filter(pl.col("link").is_in(list(names))).pivot(
        "link", index=["point", "replica"], values=["queue_mean_packets", "drops_packets"]
    )
    return wide.select(
        "point",
        "replica",
        *(pl.col(f"queue_mean_packets_{link}").alias(f"queue{end}") for link, end in names.items()),
        *(pl.col(f"drops_packets_{link}").alias(f"drops{end}") for link, end in names.items()),
    )


def totals(frames: Frames) -> pl.DataFrame:
    """Loss and fairness over the three."""
    return frames.totals.select(
        "point",
        "replica",
        (pl.col("loss_ratio") * 100).alias("loss_percent"),
        pl.col("jain_index").alias("jain"),
    )
