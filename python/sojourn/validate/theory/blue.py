"""BLUE (Feng, Kandlur, Saha, Shin 2002) and SFB, its stochastic fair kin."""

from __future__ import annotations

import math


def ramp(times: list[float], increment: float, freeze_s: float, first_s: float) -> list[float]:
    """Probability at some times of an overflow that never ends: a step each freeze time."""
    steps = (math.floor((time - first_s) / freeze_s + 1e-9) + 1 for time in times)
    return [min(1.0, increment * number) for number in steps]


def mistaken(flows: int, bins: int, levels: int) -> float:
    """Probability that a flow shares a bin of each level with one of ``flows`` others."""
    return (1 - (1 - 1 / bins) ** flows) ** levels


def full_bin_ramp(arrivals: int, bin_size: int, increment: float) -> float:
    """Probability of a bin after so many arrivals of one flow, none of which leaves."""
    return max(0, arrivals - bin_size - 1) * increment
