"""Laws that our own frames must keep, checked on every run of the study."""

from __future__ import annotations

import polars as pl

from sojourn.studies import laws, quantities
from sojourn.studies.knobs import Settings
from sojourn.studies.laws import Check
from sojourn.studies.red_fairness import scenario
from sojourn.studies.red_fairness.evidence import Evidence

PAYLOAD_BITS = 8 * 1000
PACKET_BITS = 8 * 1040


def capacity(frame: pl.DataFrame) -> Check:
    """No goodput above the payload's share of the bottleneck's rate."""
    most = frame["goodput_mbps"].max()
    limit = scenario.CAPACITY_MBPS * PAYLOAD_BITS / PACKET_BITS
    kept = isinstance(most, float) and most <= limit
    detail = f"largest goodput {most:.3f} Mbit/s, of {limit:.3f} Mbit/s that fit beside the headers"
    return Check("No goodput above the capacity", kept, detail)


def window_bound(frame: pl.DataFrame, settings: Settings) -> Check:
    """No more than a window of each connection per round trip, in cases 1 and 2.

    Where there is a warm-up, a window was under way at its end and arrives beside.
    """
    windows = {
        name: int(table["window"].removesuffix(" packets"))
        for name, table in scenario.transports(settings).items()
    }
    t1 = {
        case: float(quantities.seconds(text)) for case, text in enumerate(scenario.THROUGHPUT_T1, 1)
    }
    rows = frame.filter(pl.col("case") < 3).with_columns(
        pl.col("transport").replace_strict(windows, return_dtype=pl.Float64).alias("window"),
        pl.col("case").replace_strict(t1, return_dtype=pl.Float64).alias("t1"),
    )
    warmup_s = float(quantities.seconds(settings["warmup"]))
    measured_s = float(quantities.seconds(settings["duration"])) - warmup_s
    round_trips = measured_s / (2 * pl.col("t1")) + (1 if warmup_s else 0)
    bound = pl.col("at") * pl.col("window") * round_trips * PAYLOAD_BITS / measured_s / 1e6
    most = rows.select((pl.col("goodput_mbps") / bound).max()).item()
    kept = isinstance(most, float) and most <= 1
    detail = (
        f"largest goodput {100 * most:.1f} % of the windows over the propagation there and back"
    )
    return Check("No more than a window per round trip", kept, detail)


def little(frame: pl.DataFrame, settings: Settings) -> Check:
    """Little's law at the bottleneck."""
    warmup = quantities.seconds(settings["warmup"])
    window = float(quantities.seconds(settings["duration"]) - warmup)
    return laws.little(
        frame,
        pl.col("departures") / window,
        full=settings["limit"] + 1,
        rate_pps=scenario.CAPACITY_MBPS * 1e6 / PACKET_BITS,
        window_s=window,
        warmup_s=float(warmup),
        digits=5,
    )


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    frame, settings = evidence.frame, evidence.settings
    return [capacity(frame), window_bound(frame, settings), little(frame, settings)]
