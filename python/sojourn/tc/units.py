"""Quantities of scenario files in tc's units."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

SECONDS = {"min": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "ps": 1e-12}
BYTES = {"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
BITS = {"bit/s": 1, "kbit/s": 1e3, "Mbit/s": 1e6, "Gbit/s": 1e9}

ETHERNET_HEADER = 14
"""Bytes that Linux counts for each packet on an Ethernet, and a scenario does not."""

QUANTITY = re.compile(r"([-+0-9.eE]+) ?([A-Za-z/]+)")


@dataclass(frozen=True)
class Link:
    """What lengths in ``ms`` and ``bdp`` refer to, and the largest packet."""

    rate_bps: float
    base_rtt_s: float
    mtu_bytes: float


def split(text: str) -> tuple[float, str]:
    """``"5 ms"`` as 5.0 and ``"ms"``. Raises ValueError for anything else."""
    match = QUANTITY.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no quantity with a unit")
    return float(match[1]), match[2]


def seconds(value: Any) -> float:
    """A time in seconds."""
    number, unit = split(str(value))
    return number * SECONDS[unit]


def size_bytes(value: Any) -> float:
    """A size in bytes."""
    number, unit = split(str(value))
    return number * BYTES[unit]


def bits_per_s(value: Any) -> float:
    """A rate in bits per second."""
    number, unit = split(str(value))
    return number * BITS[unit]


def length_bytes(value: Any, packet_bytes: float, link: Link) -> float:
    """A queue length in bytes, packets being of ``packet_bytes``."""
    number, unit = split(str(value))
    if unit in ("packet", "packets"):
        return number * packet_bytes
    if unit in SECONDS:
        return number * SECONDS[unit] * link.rate_bps / 8
    if unit == "bdp":
        return number * link.base_rtt_s * link.rate_bps / 8
    return number * BYTES[unit]


def length_packets(value: Any, packet_bytes: float, link: Link) -> int:
    """A queue length in packets, packets being of ``packet_bytes``; at least 1."""
    return max(1, math.ceil(length_bytes(value, packet_bytes, link) / packet_bytes))


def in_packets(value: Any) -> bool:
    """Whether a length is written in packets."""
    return split(str(value))[1] in ("packet", "packets")


def time_text(value_s: float) -> str:
    """A time as tc reads it, to the microsecond."""
    microseconds = round(value_s * 1e6)
    if microseconds and microseconds % 1000 == 0:
        return f"{microseconds // 1000}ms"
    return f"{max(microseconds, 1) if value_s > 0 else 0}us"
