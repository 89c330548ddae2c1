"""From the frames of a run to the quantities that the publication reports.

An observation is one discipline at one load in one replica. Everything later is a query over the
frame of observations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import polars as pl

from sojourn.studies import quantities
from sojourn.studies.base import Frames
from sojourn.studies.eqm import scenario
from sojourn.studies.eqm.labels import DISCIPLINES
from sojourn.studies.knobs import Settings
from sojourn.studies.observed import Measure, table_of

MEASURES = table_of(
    (
        Measure(
            "queue",
            "Mean queue at the bottleneck",
            "packets",
            "lower",
            short="Queue",
            published="queue",
        ),
        Measure(
            "queueing_ms",
            "Queueing delay at the bottleneck",
            "ms",
            "lower",
            short="Queueing delay",
            published="delay",
        ),
        Measure("delay_ms", "End-to-end delay", "ms", "lower", published="delay"),
        Measure("loss", "Packets lost", "packets per run", "lower", short="Lost", published="loss"),
        Measure("loss_percent", "Loss ratio", "%", "lower"),
        Measure(
            "delivery_percent", "Delivery ratio (equation 3)", "%", "higher", short="Delivery ratio"
        ),
        Measure("throughput_mbps", "Throughput", "Mbit/s", "higher", published="throughput"),
        Measure("utilisation_percent", "Utilisation", "%", "higher", published="utilisation"),
        Measure(
            "delay_seed000",
            "Delay by equation 1",
            "s per connection",
            "lower",
            short="Delay of equation 1",
        ),
    )
)
"""All quantities, by column, in the order of tables."""

RANKED = ("queue", "queueing_ms", "loss", "throughput_mbps", "utilisation_percent")
"""The quantities of Table IV, one per row of Table III."""


@dataclass(frozen=True)
class Reading:
    """A set of loads over which a published average may have been taken."""

    name: str
    title: str
    short: str
    keep: Callable[[pl.Expr], pl.Expr]


def readings(capacity_mbps: float) -> dict[str, Reading]:
    """The readings of "average" that the text allows, for a bottleneck of that rate."""
    return {
        one.name: one
        for one in (
            Reading("all", "all loads", "all", lambda load: load > 0),
            Reading(
                "above",
                f"loads above {capacity_mbps:g} Mbit/s",
                f"> {capacity_mbps:g} Mbit/s",
                lambda load: load > capacity_mbps + 1e-9,
            ),
            Reading(
                "below",
                f"loads up to {capacity_mbps:g} Mbit/s",
                f"≤ {capacity_mbps:g} Mbit/s",
                lambda load: load <= capacity_mbps + 1e-9,
            ),
        )
    }


def discipline_of(value: Any) -> str:
    """The discipline of a vary value: a table, its JSON text, or the bare name."""
    if isinstance(value, Mapping):
        return str(cast("Mapping[str, Any]", value)["discipline"])
    text = str(value)
    if text.lstrip().startswith("{"):
        return str(json.loads(text)["discipline"])
    return text


def rate_of(value: Any) -> Fraction:
    """The rate of a vary value in bit/s: a text with its unit, or a number of bit/s."""
    if isinstance(value, str):
        return quantities.bits_per_second(value)
    return Fraction(value)


def points(frame: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """What each point is: point, discipline, load (Mbit/s, the sum of the stated rates)."""
    return pl.DataFrame(
        {
            "point": frame["point"],
            "discipline": [discipline_of(one) for one in frame[scenario.QUEUE_KEY]],
            "load": [
                scenario.load_mbps(rate_of(one), settings) for one in frame[scenario.RATE_KEY]
            ],
        },
        schema_overrides={"discipline": pl.String, "load": pl.Float64},
    )


def observations(
    frames: Frames, settings: Settings, chosen: Sequence[int] | None = None
) -> pl.DataFrame:
    """One row per discipline, load and replica, with a column for each measure.

    Of all points, or of those `chosen`.

    Beside them: `arrivals` and `drops` (packets) and `served_bps` at the bottleneck, `sent` and
    `received` end to end. A packet still under way at the end is neither received nor lost,
    so `loss` counts drops, not sent - received.
    """
    kept = frames.points
    if chosen is not None:
        kept = kept.filter(pl.col("point").is_in(list(chosen)))
    bottleneck = frames.links.filter(pl.col("link") == "bottleneck").select(
        "point",
        "replica",
        pl.col("queue_mean_packets").alias("queue"),
        (pl.col("queueing_delay_mean_s") * 1e3).alias("queueing_ms"),
        (pl.col("utilization") * 100).alias("utilisation_percent"),
        pl.col("arrivals_packets").alias("arrivals"),
        pl.col("drops_packets").alias("drops"),
        pl.col("throughput_bps").alias("served_bps"),
    )
    lost = frames.links.group_by("point", "replica").agg(
        pl.col("drops_packets").sum().alias("loss")
    )
    ends = frames.totals.select(
        "point",
        "replica",
        (pl.col("delay_mean_s") * 1e3).alias("delay_ms"),
        (pl.col("loss_ratio") * 100).alias("loss_percent"),
        (pl.col("delivery_ratio") * 100).alias("delivery_percent"),
        (pl.col("throughput_bps") / 1e6).alias("throughput_mbps"),
        # Equation 1 divides the sum of all delays by the number of connections.
        (pl.col("delay_mean_s") * pl.col("received_packets") / scenario.SOURCES).alias(
            "delay_seed000"
        ),
        pl.col("sent_packets").alias("sent"),
        pl.col("received_packets").alias("received"),
    )
    order = {name: place for place, name in enumerate(DISCIPLINES)}
    return (
        points(kept, settings)
        .join(bottleneck, on="point")
        .join(lost, on=["point", "replica"])
        .join(ends, on=["point", "replica"])
        .drop("point")
        .sort(pl.col("discipline").replace_strict(order, default=len(order)), "load", "replica")
        .select(
            "discipline",
            "load",
            "replica",
            *MEASURES,
            "arrivals",
            "drops",
            "served_bps",
            "sent",
            "received",
        )
    )


def averages(frame: pl.DataFrame, reading: Reading) -> pl.DataFrame:
    """One row per discipline and replica: each measure averaged over the loads of a reading.

    Undefined values (no packet received) are left out, for all disciplines alike since they
    share their arrivals.
    """
    return (
        frame.filter(reading.keep(pl.col("load")))
        .group_by("discipline", "replica", maintain_order=True)
        .agg(pl.col(column).mean() for column in MEASURES)
        .sort("discipline", "replica")
    )


def by_discipline(
    averaged: pl.DataFrame, column: str, disciplines: tuple[str, ...]
) -> dict[str, list[float | None]]:
    """Values of one measure, one per replica in the same order for every discipline.

    A discipline without a value in a replica has None there; without any row it has no values.
    """
    replicas = sorted(averaged["replica"].unique())
    found: dict[str, list[float | None]] = {}
    for discipline in disciplines:
        rows = averaged.filter(pl.col("discipline") == discipline)
        values = dict(zip(rows["replica"], rows[column], strict=True))
        found[discipline] = [values.get(replica) for replica in replicas]
    return found
