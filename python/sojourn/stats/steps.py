"""Values that come in steps: counts, shares of a few packets, bins of a histogram.

A handful of them often agree by chance, and then there is no deviation to compare a difference
with. But a value that could have been anything between two steps deviates from what it stands for
by a step over the square root of twelve, however few there are (W. F. Sheppard, "On the calculation
of the most probable values of frequency-constants", Proc. London Math. Soc. 29 (1898) 353-380).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

NEAR = 1e-6
"""Values are a multiple of a step if they are so near to one, in steps."""


def step(values: Iterable[float]) -> float:
    """The step in which `values` come: 1 for whole numbers, 0 where they come in none or are one.

    Two different values are a step apart, for want of more.
    """
    distinct = sorted(set(values))
    gaps = [high - low for low, high in pairwise(distinct)]
    if not gaps:
        return 0.0
    if all(float(value).is_integer() for value in distinct):
        return 1.0
    least = min(gaps)
    whole = (abs(gap / least - round(gap / least)) <= NEAR for gap in gaps)
    return least if all(whole) else 0.0


def least_deviation(values: Iterable[float]) -> float:
    """The standard deviation that values in such steps have at least."""
    return step(values) / math.sqrt(12)
