"""Laws that the frames of this study must keep."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import polars as pl

from sojourn.studies import quantities
from sojourn.studies.ece6110 import scenario
from sojourn.studies.ece6110.evidence import Evidence
from sojourn.studies.knobs import Settings
from sojourn.studies.laws import Check

PACKET = 542
"""Bytes of a UDP packet on the wire: 512 of payload, 28 of header, 2 of framing."""

PATH = ("access", "bottleneck-1", "bottleneck-2", "sink")
"""The links from a source to its sink."""


def common_arrivals(evidence: Evidence) -> Check:
    """UDP sends the same behind every queue."""
    law = "Common random numbers: UDP sends the same packets behind every queue"
    sent = pl.col("udp_sent")
    spread = evidence.main.frame.group_by("case", "replica").agg(sent.max() - sent.min())
    unequal = spread.filter(pl.col("udp_sent") != 0).height
    detail = f"{unequal} of {spread.height} pairs of load and replica with unequal numbers"
    return Check(law, unequal == 0, detail)


def capacity(evidence: Evidence) -> Check:
    """The three goodputs together stay below the slower link."""
    law = "All goodputs together stay below the rate of the slower link"
    most: Any = evidence.main.frame["total"].max()
    limit = float(scenario.SLOWER) / 1000
    return Check(law, most < limit, f"largest sum {most:.1f} kbit/s, link {limit:g} kbit/s")


def floor_ms(settings: Settings) -> float:
    """What the path takes without any queue, in ms."""
    links = {one["name"]: one for one in scenario.document(settings)["link"]}
    total = Fraction(0)
    for name in PATH:
        rate = quantities.bits_per_second(links[name]["rate"])
        total += quantities.seconds(links[name]["delay"]) + Fraction(8 * PACKET) / rate
    return float(1000 * total)


def delay_floor(evidence: Evidence) -> Check:
    """No mean delay below propagation and serialisation."""
    law = "Delay is at least propagation and serialisation"
    floor = floor_ms(evidence.settings)
    least: Any = evidence.main.frame["udp_delay_ms"].min()
    if least is None:
        return Check(law, None, "no packet was received")
    return Check(law, least >= floor - 1e-6, f"least mean {least:.3f} ms, floor {floor:.3f} ms")


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    return [common_arrivals(evidence), capacity(evidence), delay_floor(evidence)]
