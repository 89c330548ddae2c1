"""Where RED's lead comes from: ns-2's drop-tail has room for one packet less than its RED.

A limit of 50 lets 50 packets wait in ns-2's RED and 49 in its drop-tail. Where RED never drops
early, it is drop-tail with one packet more room.
"""

from __future__ import annotations

import polars as pl

from sojourn.stats import paired_difference
from sojourn.studies.red_fairness.evidence import Evidence
from sojourn.studies.tables import interval_text

KEYS = ["case", "at", "replica"]


def beside_red(evidence: Evidence) -> pl.DataFrame:
    """RED's goodput and the roomier drop-tail's, run by run (cases 1 and 2, large windows)."""
    red = evidence.large.frame.filter((pl.col("discipline") == "red") & (pl.col("case") < 3))
    return red.select(*KEYS, pl.col("goodput_mbps").alias("red")).join(
        evidence.room.select(*KEYS, pl.col("goodput_mbps").alias("roomier")), on=KEYS
    )


def words(evidence: Evidence) -> str:
    """How much of RED's lead is left against drop-tail with the same room."""
    both = beside_red(evidence)
    if both.is_empty():
        return ""
    same = both.filter(pl.col("red") == pl.col("roomier")).height
    averages = both.group_by("replica", maintain_order=True).agg(
        pl.col("red").mean(), pl.col("roomier").mean()
    )
    left = paired_difference(averages["red"].to_list(), averages["roomier"].to_list())
    limit = evidence.settings["limit"]
    return (
        f"ns-2's drop-tail with a limit of {limit} holds {limit - 1} packets, its RED {limit}: "
        f"against a drop-tail that holds {limit}, too, RED's goodput is the very same in {same} of "
        f"{both.height} runs, and its lead {interval_text(left)} Mbit/s on average."
    )
