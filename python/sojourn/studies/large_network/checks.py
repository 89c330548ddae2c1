"""Laws that the frames of this study must keep."""

from __future__ import annotations

from typing import Any

import polars as pl

from sojourn.studies.large_network import bounds, network
from sojourn.studies.large_network.evidence import MANY_READINGS, ONE_READINGS, Evidence
from sojourn.studies.laws import Check


def one_band(evidence: Evidence) -> Check:
    """PFIFO-fast without priorities is drop-tail."""
    law = "PFIFO-fast without priorities is drop-tail, number by number"
    keys, columns = ["case", "replica"], list(evidence.seen.measures)
    frame = evidence.seen.frame
    pairs = frame.filter(pl.col("subject") == "pfifo_fast").join(
        frame.filter(pl.col("subject") == "droptail"), on=keys, suffix="_droptail"
    )
    equal = pl.all_horizontal(pl.col(one).eq_missing(pl.col(f"{one}_droptail")) for one in columns)
    unequal = pairs.filter(~equal).height
    return Check(law, unequal == 0, f"{unequal} of {pairs.height} pairs of runs differ")


def delay_floor(evidence: Evidence) -> Check:
    """No mean delay below propagation and serialisation of full segments.

    UDP's packets are smaller, so they have a floor of their own.
    """
    law = "Delay is at least propagation and serialisation"
    frame = evidence.seen.frame.filter(~pl.col("case").str.contains("UDP"))
    least: Any = frame["delay"].min()
    floor = network.HOPS * bounds.hop_ms()
    if least is None:
        return Check(law, None, "no packet was received")
    return Check(law, least >= floor - 1e-6, f"least mean {least:.3f} ms, propagation {floor:g} ms")


def capacity(evidence: Evidence) -> Check:
    """Throughput within the links that it passes."""
    law = "No throughput above the rate of the links that carry it"
    frame = evidence.seen.frame
    most: dict[str, float] = {}
    for cases, limit in (
        (ONE_READINGS, bounds.link_kbps()),
        (MANY_READINGS[:1], bounds.clients_kbps()),
        (MANY_READINGS[1:4], bounds.link_kbps()),
        (MANY_READINGS[4:], bounds.servers_kbps()),
    ):
        found: Any = frame.filter(pl.col("case").is_in(cases))["throughput"].max()
        most[cases[0]] = (found or 0.0) / limit
    worst = max(most, key=most.__getitem__)
    detail = f"at most {100 * most[worst]:.1f} % of it ({worst})"
    return Check(law, most[worst] <= 1, detail)


def full_queue(evidence: Evidence) -> Check:
    """No loss with drop-tail where its queue cannot overflow."""
    law = "Drop-tail loses nothing where fewer segments are under way than it has room for"
    cases = [case for case in ("2 senders", "3 senders") if evidence.seen.has(case, "droptail")]
    if bounds.under_way(3) > bounds.limit_packets() or not cases:
        return Check(law, None, "the queue can overflow")
    lost = sum(
        value or 0.0 for case in cases for value in evidence.values("loss", case, "droptail")
    )
    return Check(law, lost == 0, f"{lost:g} % lost with 2 and with 3 senders")


def all_checks(evidence: Evidence) -> list[Check]:
    """All laws, in the order of the page."""
    return [
        one_band(evidence),
        delay_floor(evidence),
        capacity(evidence),
        full_queue(evidence),
    ]
