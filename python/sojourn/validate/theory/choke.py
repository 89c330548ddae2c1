"""CHOKe: Pan, Prabhakar, Psounis 2000; its limit law of Tang, Wang, Low 2004."""

from __future__ import annotations

import math


def matches(own: int, others: int) -> float:
    """Expected packets that go when an arrival meets ``own`` packets of its flow among others."""
    return 2 * own / (own + others)


def udp_share(load: float, red_loss: float) -> float:
    """Share of the link that a UDP flow gets among many TCP flows, its load in links.

    The fluid of Tang, Wang, Low 2004. With h the share of the queue that is UDP's, enters =
    load (1 - h)(1 - red_loss) of it passes the queue's tail, and as each match takes a queued
    packet too, leaves = enters - load h its head. A packet moves the slower the more is taken
    behind it: with F the flux of UDP at y, v that of all and b the length, dF/dy = dv/dy =
    -(load/b) F/v. The flux of TCP, 1 - leaves, is constant, so that (1 - leaves)
    ln(enters/leaves) = load (1 - h). Without losses by RED the most is 1/(1 + e) = 0.269, at a
    load of 1.19.
    """
    low, high = 0.0, (1 - red_loss) / (2 - red_loss)
    for _ in range(100):
        h = (low + high) / 2
        enters = load * (1 - h) * (1 - red_loss)
        leaves = enters - load * h
        if leaves <= 0 or (1 - leaves) * math.log(enters / leaves) > load * (1 - h):
            high = h
        else:
            low = h
    return load * (1 - low) * (1 - red_loss) - load * low
