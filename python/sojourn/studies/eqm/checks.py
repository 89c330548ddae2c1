"""Laws that our own frames must keep, checked on every run of the study.

A study that passes verdicts by these laws must first show that its own numbers keep them.
"""

from __future__ import annotations

import polars as pl

from sojourn.studies import laws, quantities
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import label
from sojourn.studies.eqm.network import Network
from sojourn.studies.knobs import Settings
from sojourn.studies.laws import Check


def beside(frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """One row per load and replica, one column per discipline."""
    return frame.pivot("discipline", index=["load", "replica"], values=column)


def common_arrivals(frame: pl.DataFrame) -> Check:
    """Every discipline met the same number of packets at each load in each replica."""
    law = "Common random numbers: every discipline meets the same arrivals"
    spread = frame.group_by("load", "replica").agg(
        (pl.col("arrivals").max() - pl.col("arrivals").min()).alias("spread"),
        pl.len().alias("disciplines"),
    )
    unequal = spread.filter(pl.col("spread") != 0).height
    detail = (
        f"{unequal} of {spread.height} pairs of load and replica with unequal arrivals "
        f"at the bottleneck"
    )
    return Check(law, unequal == 0, detail)


def droptail_bound(frame: pl.DataFrame, settings: Settings) -> Check:
    """No discipline lost fewer packets than drop-tail with at least its room.

    For one arrival sequence of equal packets drop-tail accepts the most of all work-conserving
    disciplines with no more room. Counts must begin with an empty queue, so a warm-up excludes it.
    """
    law = "Drop-tail bound: on the same arrivals nobody loses fewer packets"
    if quantities.seconds(settings["warmup"]) > 0:
        return Check(law, None, "counts do not begin with an empty queue: there is a warm-up")
    if "droptail" not in set(frame["discipline"]):
        return Check(law, None, "drop-tail was not run")
    wide = beside(frame, "drops")
    others = [name for name in wide.columns if name not in ("load", "replica", "droptail")]
    broken = {name: wide.filter(pl.col(name) < pl.col("droptail")).height for name in others}
    detail = f"{wide.height} pairs of load and replica; " + ", ".join(
        f"{label(name)} below drop-tail in {count}" for name, count in broken.items()
    )
    return Check(law, not any(broken.values()), detail)


def little(frame: pl.DataFrame, network: Network) -> Check:
    """Little's law at the bottleneck."""
    # SFQ drops packets that have waited: they count in its queue, not in its mean wait.
    return laws.little(
        frame.filter(pl.col("discipline") != "sfq"),
        pl.col("served_bps") / (8 * network.packet_bytes),
        full=network.limit_packets + 1,
        rate_pps=network.packets_per_second,
        window_s=network.duration,
        warmup_s=network.warmup,
        left_out="SFQ, which drops packets that have waited,",
    )


def delay_floor(frame: pl.DataFrame, network: Network, settings: Settings) -> Check:
    """No mean end-to-end delay below propagation and serialisation."""
    law = "Delay is at least propagation and serialisation"
    if settings["sources"] != "0,1,2":
        return Check(law, None, "the sources have paths of different lengths")
    floor = 1e3 * (network.path_propagation + network.path_serialisation)
    least = frame["delay_ms"].min()
    if least is None:
        return Check(law, None, "no packet was received")
    value = float(least)  # pyright: ignore[reportArgumentType]
    detail = f"least mean {value:.4f} ms, floor {floor:.4f} ms"
    return Check(law, value >= floor - 1e-6, detail)


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    frame, network, settings = evidence.frame, evidence.ours, evidence.settings
    return [
        common_arrivals(frame),
        droptail_bound(frame, settings),
        little(frame, network),
        delay_floor(frame, network, settings),
    ]
