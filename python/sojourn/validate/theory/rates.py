"""Rate-based control: AVQ (Kunniyur and Srikant 2001), GREEN, EQM (reconstruction)."""

from __future__ import annotations

import math


def capacity(
    times: list[float],
    link_mbps: float,
    load_mbps: float,
    gamma: float,
    alpha: float,
    initial: float,
) -> list[float]:
    """AVQ's virtual capacity, bit/s, before it reaches a bound."""
    slope = alpha * (gamma * link_mbps - load_mbps)
    return [(initial * link_mbps + slope * time) * 1e6 for time in times]


def green_ramp(times: list[float], step: float, tick_s: float, from_s: float) -> list[float]:
    """GREEN's probability while the arrivals are above their share from ``from_s`` on."""
    return [step * math.floor((time - from_s) / tick_s) for time in times]


def green_above_at(rho: float, utilization: float, averaging_s: float) -> float:
    """When the exponential average of a load that begins at 0 passes its share of the link."""
    return -averaging_s * math.log(1 - utilization / rho)


def green(times: list[float], rho: float) -> list[float]:
    """GREEN's probability under a load of ``rho`` from 0 on, with the default constants.

    It can only fall from 0 before the average passes 0.97.
    """
    return green_ramp(times, 0.001, 0.01, green_above_at(rho, 0.97, 0.1))


def feng_probability(
    flows: float, size: float, mbps: float, rtt_s: float, c: float = math.sqrt(1.5)
) -> float:
    """Feng's GREEN: (N s c / (L R))^2."""
    return min(1.0, (flows * size * 8 * c / (mbps * 1e6 * rtt_s)) ** 2)


def eqm_rate(times: list[float], mbps: float, averaging_s: float) -> list[float]:
    """EQM's rate estimate, bit/s, after a step from 0: r (1 - e^(-t/K))."""
    return [mbps * 1e6 * (1 - math.exp(-time / averaging_s)) for time in times]


def feng_probabilities(flows: int, size: float, mbps: float, rtt_s: float) -> list[float]:
    """The same with 1, 2 ... ``flows``."""
    return [feng_probability(number, size, mbps, rtt_s) for number in range(1, flows + 1)]
