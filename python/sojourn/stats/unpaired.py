"""Two groups of replicas that share no random streams.

Source: B. L. Welch, "The generalization of 'Student's' problem when several different population
variances are involved", Biometrika 34 (1947) 28-35.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from sojourn.stats.intervals import Interval, check_level, defined, mean_and_deviation
from sojourn.stats.steps import least_deviation


def welch(
    first: Iterable[float | None], second: Iterable[float | None], level: float = 0.95
) -> tuple[Interval, float]:
    """Interval of the difference of two means, first less second, and its two-sided p-value.

    `n` of the interval is that of the smaller group: so much is known of both. Without two values
    in each there is no interval, and the p-value is 1; without any deviation, of values that come
    in no steps (`steps.py`), it is 1 for equal means, else 0.
    """
    # SciPy takes longer to import than a short run takes.
    from scipy import special

    check_level(level)
    one, other = defined(first), defined(second)
    count = min(len(one), len(other))
    if not one or not other:
        return Interval(None, None, None, count), 1.0
    if len(one) < 2 or len(other) < 2:
        difference = math.fsum(one) / len(one) - math.fsum(other) / len(other)
        return Interval(difference, None, None, count), 1.0
    (mean, deviation), (mean2, deviation2) = mean_and_deviation(one), mean_and_deviation(other)
    difference = mean - mean2
    least = least_deviation([*one, *other])
    a, b = max(deviation, least) ** 2 / len(one), max(deviation2, least) ** 2 / len(other)
    error = math.sqrt(a + b)
    if error == 0:
        p_value = 1.0 if difference == 0 else 0.0
        return Interval(difference, difference, difference, count), p_value
    freedom = (a + b) ** 2 / (a**2 / (len(one) - 1) + b**2 / (len(other) - 1))
    half = float(special.stdtrit(freedom, (1 + level) / 2)) * error
    p_value = float(2 * special.stdtr(freedom, -abs(difference) / error))
    return Interval(difference, difference - half, difference + half, count), p_value
