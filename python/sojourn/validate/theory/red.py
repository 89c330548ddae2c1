"""RED's laws: Floyd and Jacobson 1993; Floyd's note on the gentle variant, 2000."""

from __future__ import annotations

import math


def probability(
    avg: float, min_th: float, max_th: float, max_p: float, gentle: bool = False
) -> float:
    """p_b at an average: section 4, and from ``max_th`` to twice that the gentle ramp."""
    if avg < min_th:
        return 0
    if avg < max_th:
        return max_p * (avg - min_th) / (max_th - min_th)
    if gentle and avg < 2 * max_th:
        return max_p + (1 - max_p) * (avg - max_th) / max_th
    return 1


def rate(p: float) -> float:
    """Share of the arrivals that is dropped: one over the mean gap.

    A gap is longer than k with probability 1 - k p (section 7); about 2p / (1 + p) for small p.
    """
    return 1 / sum(1 - k * p for k in range(math.floor(1 / p) + 1)) if p else 0


def rate_at(avg: float, **law: float) -> float:
    """Share dropped with the average held at ``avg``."""
    return rate(probability(avg, **law))  # type: ignore[arg-type]


def gaps(p: float, wait: bool = False) -> list[float]:
    """Mean, least and largest gap: uniform on 1 to 1/p, or with wait on 1/p to 2/p - 1."""
    least, most = (1 / p, 2 / p - 1) if wait else (1, 1 / p)
    return [(least + most) / 2, least, most]


def nonlinear_rate(x: float, max_p: float) -> float:
    """Share dropped at the fraction ``x`` of the band: p_b = 1.5 max_p x^2 (Zhou et al. 2006)."""
    return rate(1.5 * max_p * x * x)


def average(w_q: float, queue: list[float]) -> list[float]:
    """The average after each arrival that found ``queue`` before it (section 4)."""
    avg, found = 0.0, []
    for waiting in queue:
        avg += w_q * (waiting - avg)
        found.append(avg)
    return found


def idle(avg: float, w_q: float, idle_s: float, packet_s: float) -> float:
    """The average after an idle time: (1 - w_q)^m, m packets having gone by (section 4)."""
    return avg * (1 - w_q) ** (idle_s / packet_s)


def gentle_rest(mbps: float, link_mbps: float, max_th: float, max_p: float) -> float:
    """Average at which gentle RED sheds 1 - 1/rho, found by halving."""
    low, high = max_th, 2 * max_th
    for _ in range(60):
        middle = (low + high) / 2
        shed = rate(probability(middle, 0, max_th, max_p, gentle=True))
        low, high = (middle, high) if shed < 1 - link_mbps / mbps else (low, middle)
    return low


def adapted(start: float, steps: list[float], above: bool) -> list[float]:
    """ARED's max_p after so many updates with the average above, or below, its band.

    Floyd, Gummadi, Shenker 2001: plus min(0.01, max_p/4) while at most 0.5; times 0.9 while at
    least 0.01.
    """
    found = []
    for updates in steps:
        max_p = start
        for _ in range(int(updates)):
            if above and max_p <= 0.5:
                max_p += min(0.01, max_p / 4)
            elif not above and max_p >= 0.01:
                max_p *= 0.9
        found.append(max_p)
    return found


def automatic(mbps: float, mean: float, target_s: float) -> list[float]:
    """ARED's w_q, min_th and max_th: 1 - exp(-1/c), max(5, target c / 2), three times that."""
    c = mbps * 1e6 / (8 * mean)
    min_th = max(5, target_s * c / 2)
    return [1 - math.exp(-1 / c), min_th, 3 * min_th]


def nonlinear_rate_at(avg: float, max_th: float, max_p: float) -> float:
    """Nonlinear RED's share at an average, ``min_th`` being zero."""
    return nonlinear_rate(avg / max_th, max_p)


def average_linux(wlog: int, queue: list[int]) -> list[float]:
    """The kernel's average, in whole units of 2^-wlog bytes; the first arrival finds it idle."""
    scaled, found = 0, []
    for number, waiting in enumerate(queue):
        if number:
            scaled += waiting - (scaled >> wlog)
        found.append(scaled / 2**wlog)
    return found


def automatic_average(mbps: float, mean: float, queue: list[float]) -> list[float]:
    """The average with ARED's automatic weight."""
    return average(automatic(mbps, mean, 0)[0], queue)
