"""Sequential stopping: how many replicas make an interval narrow enough.

Source: A. M. Law, "Simulation Modeling and Analysis", section 9.4.1 (relative error of a mean).
Looking at the interval only after the number of replicas has grown by a good part, and not after
each one, keeps it from stopping at a lucky moment.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sojourn.stats.intervals import student_interval

GROWTH = 2.0
"""The number of replicas grows at most by this factor between two looks."""


def enough(values: Sequence[float | None], share: float, level: float = 0.95) -> int:
    """How many replicas to have before looking again; as many as there are if that will do.

    It will do when the half-width of Student's interval is at most ``share`` of the mean. Else
    the answer is the number at which it would be, if the deviation stayed as it is, but at least
    a tenth more and at most twice as many. ``None`` stands for "undefined in this replica".
    """
    count = len(values)
    interval = student_interval(values, level)
    grown = math.ceil(GROWTH * count)
    if interval.n == 0:
        # Undefined everywhere, as a delay is without a packet: more of the same will not help.
        return count
    if interval.mean is None or interval.half_width is None:
        return grown
    allowed = share * abs(interval.mean)
    if interval.half_width <= allowed:
        return count
    if allowed == 0:
        return grown
    estimate = math.ceil(count * (interval.half_width / allowed) ** 2)
    return min(max(estimate, math.ceil(1.1 * count)), grown)
