"""Laws that our own frames must keep, checked on every run of the study."""

from __future__ import annotations

import polars as pl

from sojourn.studies import laws, quantities
from sojourn.studies.four_aqms import scenario
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.knobs import Settings
from sojourn.studies.laws import Check

ACCESS_BPS = 10e6
PROPAGATION_MS = 26.0
"""One way: 3, 20 and 3 ms."""


def floor_ms(packet_bytes: float) -> float:
    """Propagation and the times to send a packet three times, in ms."""
    bits = 8 * packet_bytes
    return PROPAGATION_MS + 1e3 * bits * (2 / ACCESS_BPS + 1 / scenario.BOTTLENECK_BPS)


def delay_floor(frame: pl.DataFrame) -> Check:
    """No mean delay below what the empty path takes."""
    floors = {
        "cbr_delay_ms": floor_ms(scenario.CBR_PACKET_BYTES),
        "tcp_delay_ms": floor_ms(scenario.TCP_PACKET_BYTES),
    }
    least = {column: min(frame[column].drop_nulls(), default=0.0) for column in floors}
    kept = all(least[column] >= floor - 1e-6 for column, floor in floors.items())
    detail = "; ".join(
        f"{column[:3].upper()} least mean {least[column]:.3f} ms, floor {floor:.3f} ms"
        for column, floor in floors.items()
    )
    return Check("Delay is at least propagation and serialisation", kept, detail)


def capacity(frame: pl.DataFrame) -> Check:
    """No goodput above the bottleneck's rate."""
    most = frame["goodput_mbps"].max()
    limit = scenario.BOTTLENECK_BPS / 1e6
    kept = isinstance(most, float) and most <= limit
    detail = f"largest goodput {most:.4f} Mbit/s, capacity {limit:g} Mbit/s"
    return Check("No goodput above the capacity", kept, detail)


def little(frame: pl.DataFrame, settings: Settings) -> Check:
    """Little's law at the bottleneck.

    SFQ is left out: its packets may wait for longer than a full queue takes to drain.
    """
    warmup = quantities.seconds(settings["warmup"])
    window = float(quantities.seconds(settings["duration"]) - warmup)
    return laws.little(
        frame.filter(pl.col("discipline") != "sfq"),
        pl.col("departures") / window,
        full=scenario.LIMIT_PACKETS + 1,
        rate_pps=scenario.BOTTLENECK_BPS / (8 * scenario.TCP_PACKET_BYTES),
        window_s=window,
        warmup_s=float(warmup),
        left_out="SFQ",
    )


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    frame = evidence.observations
    return [delay_floor(frame), capacity(frame), little(frame, evidence.settings)]
