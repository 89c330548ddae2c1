"""Student's confidence interval for the mean of independent replicas.

Source: Student, "The probable error of a mean", Biometrika 6 (1908) 1-25; for simulation output
A. M. Law, "Simulation Modeling and Analysis", chapter 9 (one value per replica, packets of one
replica are never pooled as if they were independent).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

# fmt: off
AT_95 = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934,
    2.5705818356363146, 2.4469118511449786, 2.364624251592784, 2.306004135204166,
    2.262157162798205, 2.228138851986274, 2.200985160091639, 2.1788128296672284,
    2.1603686564627913, 2.144786687917804, 2.131449545559776, 2.1199052992212546,
    2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245,
    2.0595385527532972, 2.0555294386428735, 2.0518305164802846, 2.0484071417952454,
    2.045229642132703, 2.0422724563012378,
)
# fmt: on
"""Quantiles of Student's t for a two-sided interval at 95 %, from one degree of freedom on.

They are SciPy's, which takes longer to import than a short run takes.
"""


@dataclass(frozen=True)
class Interval:
    """A mean with its confidence interval, in the unit of the values.

    `n` counts the defined values. `mean` is None when there is none, `low` and `high` are None
    when there are fewer than two.
    """

    mean: float | None
    low: float | None
    high: float | None
    n: int

    @property
    def half_width(self) -> float | None:
        """Half the width of the interval, None where there is none."""
        if self.low is None or self.high is None:
            return None
        return (self.high - self.low) / 2

    def contains(self, value: float) -> bool:
        """Whether `value` lies inside; False where there is no interval."""
        if self.low is None or self.high is None:
            return False
        return self.low <= value <= self.high


def defined(values: Iterable[float | None]) -> list[float]:
    """The values that are neither None nor NaN."""
    return [value for value in values if value is not None and not math.isnan(value)]


def mean_and_deviation(values: list[float]) -> tuple[float, float]:
    """Mean and sample standard deviation (n - 1) of at least two values.

    `fsum` makes both independent of the order of the values, and values that are all equal have
    a deviation of exactly zero.
    """
    if values.count(values[0]) == len(values):
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    squares = math.fsum([(value - mean) ** 2 for value in values])
    return mean, math.sqrt(squares / (len(values) - 1))


def check_level(level: float) -> None:
    """Raise ValueError unless `level` is a confidence level, strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, but a confidence level lies between 0 and 1")


def student_interval(
    values: Iterable[float | None], level: float = 0.95, least_deviation: float = 0.0
) -> Interval:
    """Mean and two-sided Student interval over replicas.

    `values` holds one value per replica; None and NaN stand for "undefined in this replica" and
    are left out. Their standard deviation is taken to be `least_deviation` at least, see
    `steps.py`. Raises ValueError when `level` is not between 0 and 1.
    """
    check_level(level)
    kept = defined(values)
    if not kept:
        return Interval(None, None, None, 0)
    if len(kept) == 1:
        return Interval(kept[0], None, None, 1)
    mean, deviation = mean_and_deviation(kept)
    deviation = max(deviation, least_deviation)
    half = student_quantile(len(kept) - 1, level) * deviation / math.sqrt(len(kept))
    return Interval(mean, mean - half, mean + half, len(kept))


def student_quantile(freedom: int, level: float = 0.95) -> float:
    """The quantile of Student's t for a two-sided interval."""
    if level == 0.95 and freedom <= len(AT_95):
        return AT_95[freedom - 1]
    from scipy import special

    return float(special.stdtrit(freedom, (1 + level) / 2))
