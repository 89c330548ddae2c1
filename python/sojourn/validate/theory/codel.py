"""The control law of CoDel (RFC 8289, section 5.6) and of COBALT, which is one step ahead."""

from __future__ import annotations

import math


def drop_times(first_s: float, interval_s: float, count: int) -> list[float]:
    """When a queue that is bad from ``first_s`` on drops.

    The first an interval later; the k-th due interval / sqrt(k - 1) after the one before.
    """
    times = [first_s + interval_s]
    for k in range(1, count):
        times.append(times[-1] + interval_s / math.sqrt(k))
    return times


def cobalt_times(first_s: float, interval_s: float, count: int) -> list[float]:
    """COBALT counts the first signal at once: interval / sqrt(k + 1) after the k-th."""
    times = [first_s + interval_s]
    for k in range(2, count + 1):
        times.append(times[-1] + interval_s / math.sqrt(k))
    return times


def linux_times(first_s: float, interval_s: float, count: int) -> list[float]:
    """With the inverse root of the kernel: one Newton step in 16 bits per change of count."""
    root, times = 0xFFFF, [first_s + interval_s]
    for k in range(1, count):
        if k > 1:
            x = root << 16
            root = (((((3 << 32) - k * (x * x >> 32)) >> 2) * x) >> 31) >> 16
        times.append(times[-1] + interval_s * root / 0x10000)
    return times


def above_at(mbps: float, link_mbps: float, target_s: float) -> float:
    """When the sojourn of a queue that grows from nothing reaches the target.

    The packet that leaves at t came at t link / load, so that it waited t (1 - link / load).
    """
    return target_s / (1 - link_mbps / mbps)


LAWS = {"codel": drop_times, "cobalt": cobalt_times, "linux": linux_times}
"""When signals come, by whose law it is; ``linux``: CoDel with the kernel's root."""


def overload_times(
    mbps: float,
    link_mbps: float,
    target_s: float,
    interval_s: float,
    count: int,
    law: str = "codel",
) -> list[float]:
    """First signals of an overload that began at 0, by one of the `LAWS`."""
    return LAWS[law](above_at(mbps, link_mbps, target_s), interval_s, count)


def count_again(
    time: float, drop_next: float, interval_s: float, count: int, lastcount: int
) -> float:
    """The count of a spell that begins: what the last one added, if that was lately."""
    added = count - lastcount
    return added if added > 1 and time - drop_next < 16 * interval_s else 1
