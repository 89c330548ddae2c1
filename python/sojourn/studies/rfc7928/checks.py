"""Laws that the frames of this study must keep."""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from sojourn.studies.laws import Check
from sojourn.studies.rfc7928 import network, traffic
from sojourn.studies.rfc7928.chapters.round_trips import ROUND_TRIPS_MS
from sojourn.studies.rfc7928.chapters.senders import BUFFERS, WINDOWS
from sojourn.studies.rfc7928.evidence import Evidence
from sojourn.studies.rfc7928.laboratory import Laboratory
from sojourn.studies.rfc7928.queues import BASE

PAYLOAD = 1472 / 1500
"""The largest share of a packet that is payload: that of UDP."""

PACKET_BITS = 8 * network.PACKET_BYTES

RESOLUTION = 0.005
"""Relative error of percentiles."""

VARIES = ("capacity", "two-way", "mix")
"""Where the capacity is another, or traffic goes the other way too."""


def capacity(evidence: Evidence) -> Check:
    """No goodput above the payload's share of the bottleneck's rate."""
    lab = Laboratory(evidence.settings)
    longest = max(lab.rtt, Fraction(max(ROUND_TRIPS_MS), 1000))
    # What a receiver may have held back before measurements began, for want of one packet.
    most_room = max(*BUFFERS, lab.settings["buffer"])
    held = (1 + most_room) * network.bdp_packets(lab.rate_text, longest)
    shortest = float(min(lab.measured, lab.fairness_measured))
    limit = PAYLOAD * (float(lab.rate) + held * PACKET_BITS / shortest) / 1e6
    most = max(
        _most(seen.frame["goodput"])
        for name, seen in evidence.seen.items()
        if not name.startswith(VARIES)
    )
    detail = f"largest goodput {most:.3f} Mbit/s of {limit:.3f} Mbit/s"
    return Check("No goodput above the capacity", most <= limit, detail)


def use(evidence: Evidence) -> Check:
    """No link busier than always."""
    most = max(_most(seen.frame["utilisation"]) for seen in evidence.seen.values())
    return Check("No utilisation above 100 %", most <= 100 + 1e-6, f"largest {most:.4f} %")


def room(evidence: Evidence) -> Check:
    """No packet waits longer in drop-tail than a full queue takes to go out."""
    law = "Behind drop-tail no wait is longer than a full queue takes"
    lab = Laboratory(evidence.settings)
    # The packet that is being sent is not in the queue.
    limit = (lab.room() + 1) * PACKET_BITS / float(lab.rate) * 1e3
    frame = evidence.seen["newreno"].frame.filter(pl.col("subject") == BASE)
    longest = _most(frame["delay_p99"])
    kept = longest <= limit * (1 + RESOLUTION)
    return Check(law, kept, f"99th percentile {longest:.2f} of {limit:.2f} ms")


def completion(evidence: Evidence) -> Check:
    """No short transfer faster than its round trips: slow start from its window."""
    law = "No short transfer is over before its round trips"
    seen = evidence.seen["short"]
    rtt = float(Laboratory(evidence.settings).rtt)
    segments = int(traffic.SHORT_BYTES.split()[0]) // int(traffic.SEGMENT.split()[0])
    # A handshake, then windows that at most double with each round trip, and the last way.
    ahead: list[float] = []
    for iw, case in zip(WINDOWS, seen.cases, strict=True):
        least = (1.5 + _rounds(segments, iw)) * rtt
        for subject in seen.subjects(case):
            values = [one for one in seen.values("fct_short", case, subject) if one is not None]
            ahead += [one / least for one in values]
    if not ahead:
        return Check(law, None, "no short transfer has ended")
    return Check(law, min(ahead) >= 1 - 1e-9, f"the fastest takes {min(ahead):.2f} times as long")


def _rounds(segments: int, window: int) -> int:
    """Round trips before the last window of a slow start leaves."""
    rounds = 0
    while segments > window:
        segments -= window
        window *= 2
        rounds += 1
    return rounds


def _most(values: pl.Series) -> float:
    most = values.max()
    return float(most) if isinstance(most, int | float) else 0.0


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    return [capacity(evidence), use(evidence), room(evidence), completion(evidence)]
