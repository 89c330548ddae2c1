"""Scenarios in which load or capacity varies, phase by phase (sections 8.2.5 and 8.2.6)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sojourn.studies import quantities
from sojourn.studies.base import Frames
from sojourn.studies.knobs import Settings
from sojourn.studies.observed import KEYS, Measure, Observed, table_of
from sojourn.studies.parts import Part
from sojourn.studies.rfc7928.laboratory import CAPACITIES, SHARES
from sojourn.studies.rfc7928.network import BOTTLENECK, PACKET_BYTES

NAMES: Mapping[str, tuple[str, ...]] = {
    "phases": tuple(SHARES),
    "capacity-slow": CAPACITIES,
}
"""The phases of each such scenario, in their order; after the last the first comes again."""

MEASURES = table_of(
    (
        Measure("goodput", "Goodput", "Mbit/s", "higher"),
        Measure("delay", "Queueing delay", "ms", "lower"),
        Measure("drops", "Drops", "per second", "lower"),
    )
)
"""What is told of each phase."""

PACKET_BITS = 8 * PACKET_BYTES
LINKS = ("queue_mean_packets", "throughput_bps", "drops_packets")
STEP = ["point", "replica", "time_s"]


def delays(frames: Frames, part: Part) -> pl.DataFrame:
    """The bottleneck interval by interval: case, subject, replica, time_s, and what was counted."""
    found = part.points().select("point", "subject")
    for place, metric in enumerate(LINKS):
        one = frames.series(metric).filter(
            (pl.col("entity") == "link") & (pl.col("name") == BOTTLENECK)
        )
        keys = STEP if place else ["point"]
        found = found.join(one.select(*STEP, pl.col("value").alias(metric)), on=keys)
    goodputs = (
        frames.series("goodput_bps")
        .filter(pl.col("entity") == "flow")
        .group_by(STEP)
        .agg(pl.col("value").sum().alias("goodput_bps"))
    )
    return found.join(goodputs, on=STEP).sort(STEP)


def little_ms() -> pl.Expr:
    """Mean wait by Little's law: mean queue over packets served per second."""
    served = pl.col("throughput_bps").mean() / PACKET_BITS
    return pl.when(served > 0).then(pl.col("queue_mean_packets").mean() / served * 1e3)


def observe(timed: pl.DataFrame, name: str, settings: Settings) -> Observed:
    """One row per phase, subject and replica; a phase that comes again counts with the first."""
    settle = float(quantities.seconds(settings["settle"]))
    phase = float(quantities.seconds(settings["phase"]))
    names = NAMES[name]
    # A value stands at the end of its interval.
    place = ((pl.col("time_s") - settle) / phase - 1e-6).floor().cast(pl.Int64) % len(names)
    step_s = timed["time_s"].unique().sort().diff().median()
    frame = (
        timed.filter(pl.col("time_s") > settle * (1 + 1e-9))
        .with_columns(place.replace_strict(dict(enumerate(names))).alias("case"))
        .group_by("point", *KEYS, maintain_order=True)
        .agg(
            (pl.col("goodput_bps").mean() / 1e6).alias("goodput"),
            little_ms().alias("delay"),
            (pl.col("drops_packets").mean() / step_s).alias("drops"),
        )
    )
    order = {one: at for at, one in enumerate(names)}
    rows = frame.sort(pl.col("case").replace_strict(order), "point", "replica")
    return Observed(rows.select(*KEYS, *MEASURES), MEASURES)


def over_time(timed: pl.DataFrame) -> pl.DataFrame:
    """The queueing delay of each interval in ms: subject, replica, time_s, value."""
    served = pl.col("throughput_bps") / PACKET_BITS
    wait = pl.when(served > 0).then(pl.col("queue_mean_packets") / served * 1e3)
    return timed.select("subject", "replica", "time_s", wait.alias("value"))
