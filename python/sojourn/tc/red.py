"""RED's averages and thresholds in numbers that tc and the kernel take.

tc asks for no weight: it derives one from ``min``, ``avpkt`` and ``burst``, and refuses what has
none. It also refuses what the kernel's integers have no room for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sojourn.tc import units
from sojourn.tc.units import Link

MOST_BYTES = (1 << 29) - 1
"""The largest threshold in bytes: the kernel shifts it by the weight within 32 bits."""


@dataclass(frozen=True)
class Red:
    """What RED is told, in bytes or in packets; lengths of ``mean`` each.

    ``derived``: whether tc works out the thresholds and the burst from the limit itself.
    """

    limit: int
    low: int
    high: int
    mean: int
    burst: int
    derived: bool


def thresholds(params: Any, link: Link) -> tuple[float, float] | None:
    """RED's ``min_th`` and ``max_th`` in bytes, packets being of the discipline's typical size.

    None where tc works them out as Sojourn does: under Linux's preset, where ``max_th`` is
    automatic or both are.
    """
    mean = units.size_bytes(params["mean_packet"])
    low, high = params["min_th"], params["max_th"]
    if "auto" in (low, high) and params["preset"] == "linux":
        return None
    if low == "auto":
        target = units.seconds(params.get("target_delay", "5 ms"))
        low_bytes = max(5 * mean, target * link.rate_bps / 8 / 2)
    else:
        low_bytes = units.length_bytes(low, mean, link)
    high_bytes = 3 * low_bytes if high == "auto" else units.length_bytes(high, mean, link)
    return low_bytes, high_bytes


def log_of_weight(low: float, burst: int, mean: float) -> int | None:
    """The weight that tc derives, as the k of 1 / 2^k; None where it finds none."""
    above = burst + 1 - low / mean
    if above < 1 or above >= burst > 1:
        return None
    for k in range(1, 32):
        if above <= (1 - (1 - 0.5**k) ** burst) * 2**k:
            return k
    return None


def in_bytes(params: Any, link: Link, limit: int) -> Red:
    """RED with thresholds in bytes, of a limit that tc takes.

    Where ``min`` is no longer than a mean packet, that is what gives way: thresholds are in bytes
    whatever it is.
    """
    mean = max(1, round(units.size_bytes(params["mean_packet"])))
    both = thresholds(params, link)
    if both is not None:
        low, high = (round(each) for each in both)
    else:
        given = params["min_th"]
        length = 0 if given == "auto" else round(units.length_bytes(given, mean, link))
        high = 3 * length or limit // 4
        low = length or high // 3
    meant = (low, high)
    low = min(max(low, 2), MOST_BYTES)
    high = min(max(high, low), MOST_BYTES)
    derived = both is None and meant == (low, high)
    burst = _burst(params, low, high, mean)
    if log_of_weight(low, burst, mean) is None and low <= mean:
        mean = max(1, low // 2)
        burst = _burst(params, low, high, mean)
    return Red(limit, low, high, mean, _fitting(burst, low, high, mean), derived)


def in_packets(params: Any, link: Link, limit: int) -> Red:
    """CHOKe, whose thresholds are in packets, and different: ``max`` is no more than the limit."""
    mean = units.size_bytes(params["mean_packet"])
    both = thresholds(params, link)
    given = params["min_th"]
    if both is not None:
        low, high = (max(1, math.ceil(each / mean)) for each in both)
    elif given == "auto":
        low, high = limit // 4 // 3, limit // 4
    else:
        low = max(1, math.ceil(units.length_bytes(given, mean, link) / mean))
        high = limit // 4
    meant = (low, high)
    high = max(2, min(high, limit))
    low = max(1, min(low, high - 1))
    derived = both is None and meant == (low, high)
    burst = _fitting(_burst(params, low, high, 1), low, high, 1)
    return Red(limit, low, high, 1, burst, derived)


def _burst(params: Any, low: int, high: int, mean: int) -> int:
    """As given, or automatic: as red(8) advises."""
    if params["burst"] != "auto":
        return int(float(params["burst"]))
    return max(1, round((2 * low + high) / (3 * mean)), math.ceil(low / mean))


def _fitting(burst: int, low: int, high: int, mean: int) -> int:
    """A burst for which there is a weight, such that a threshold shifted by it has room."""
    least = max(1, math.ceil(low / mean))
    burst = max(burst, least)
    while burst > least:
        log = log_of_weight(low, burst, mean)
        if log is not None and high.bit_length() + log < 32:
            break
        burst = (burst + least) // 2
    return burst
