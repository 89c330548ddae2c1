"""The network of RFC 7928, section 3.1: senders A, router L, router R, receivers B.

Each group of flows has senders and receivers of its own, behind links so long that its round trip
is what it should be.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from sojourn.studies import quantities

PACKET_BYTES = 1500
"""A full packet on the wire; levels of congestion are counted in these."""

ACCESS_RATE = 10**9
"""Least rate of the links of senders and receivers, in bit/s."""

FASTER = 10
"""How many times the bottleneck's rate they have at least."""

ACCESS_ROOM = 100_000
"""Packets that find room there: nothing is lost before the bottleneck."""

HOP = Fraction(1, 1000)
"""Propagation of one way between two routers, in seconds."""

BOTTLENECK = "bottleneck"
BACK = "bottleneck-back"
FIRST, SECOND = "bottleneck-one", "bottleneck-two"

Links = list[dict[str, Any]]


def bdp_packets(rate: str, rtt: Fraction) -> int:
    """How many full packets a path holds, rounded, at least one."""
    return max(1, round(quantities.bits_per_second(rate) * rtt / (8 * PACKET_BYTES)))


def plain(limit: int) -> dict[str, Any]:
    """Drop-tail with so much room: what varies is laid over it."""
    return {"discipline": "droptail", "limit": f"{limit} packets"}


def access_rate(rate: Fraction) -> str:
    """The rate of the links of senders and receivers for this bottleneck, in bit/s."""
    return quantities.rate_text(max(Fraction(ACCESS_RATE), FASTER * rate))


def access(groups: Mapping[str, Fraction], rate: str, *, left: str = "L", hops: int = 1) -> Links:
    """Links of the senders and receivers of each group, by its round trip in seconds.

    Its senders enter at `left`, so many hops before R.
    """
    return [
        {
            "name": link,
            "from": start,
            "to": end,
            "rate": rate,
            "delay": quantities.time_text(access_delay(rtt, hops)),
            "duplex": True,
            "queue": plain(ACCESS_ROOM),
        }
        for name, rtt in groups.items()
        for link, start, end in (
            (f"{name}-in", f"{name}-a*", left),
            (f"{name}-out", "R", f"{name}-b*"),
        )
    ]


def access_delay(rtt: Fraction, hops: int = 1) -> Fraction:
    """The delay of each of the two access links of a path with this round trip, in seconds."""
    return (rtt / 2 - hops * HOP) / 2


def hop(name: str, start: str, end: str, rate: str, limit: int) -> dict[str, Any]:
    """A link between two routers, one way."""
    return {
        "name": name,
        "from": start,
        "to": end,
        "rate": rate,
        "delay": quantities.time_text(HOP),
        "queue": plain(limit),
    }


def dumbbell(rate: str, limit: int, back: tuple[str, int] | None = None) -> Links:
    """Both directions between L and R; `back` is rate and room of another way back."""
    return [
        hop(BOTTLENECK, "L", "R", rate, limit),
        hop(BACK, "R", "L", *(back or (rate, limit))),
    ]


def two_hops(rate: str, first: str, back: str, limit: int) -> Links:
    """L, M and R in a row, by the rates of both hops and of the ways back, which lose nothing."""
    return [
        hop(FIRST, "L", "M", first, limit),
        hop(SECOND, "M", "R", rate, limit),
        hop("back-one", "R", "M", back, ACCESS_ROOM),
        hop("back-two", "M", "L", back, ACCESS_ROOM),
    ]
