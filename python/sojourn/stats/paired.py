"""Paired comparisons under common random numbers.

Two disciplines that face the very same arrivals in replica r are compared by the difference of
their values in that replica: what the arrivals contribute to both cancels out. Student's t test
works on the differences, Holm's correction covers the number of comparisons made. Where values come
in steps, differences that agree by chance are not taken for certain, see `steps.py`.

Source: A. M. Law, "Simulation Modeling and Analysis", sections 10.2 and 11.2 (paired-t interval,
common random numbers); Holm (1979), see `holm.py`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sojourn.stats.holm import holm
from sojourn.stats.intervals import (
    Interval,
    check_level,
    mean_and_deviation,
    student_interval,
)
from sojourn.stats.steps import least_deviation

FEWEST = 3
"""Values from which on two may be told apart: two that happen to agree look beyond doubt.

Of what is paired so many pairs, of what is not so many values of each."""


@dataclass(frozen=True)
class Comparison:
    """`first` against `second`: the interval of first - second, and its test against zero.

    `p_value` belongs to this comparison alone, `adjusted` is Holm's over the whole family, and
    `interval` has the confidence at which Holm's procedure tested this comparison, or at which it
    ended before. With fewer than two pairs both p-values are 1: nothing can be told apart.
    Differences of `resolution` or less are none: they are within what the values are measured to.
    """

    first: str
    second: str
    interval: Interval
    p_value: float
    adjusted: float
    alpha: float
    resolution: float = 0.0

    @property
    def separated(self) -> bool:
        """Whether the two differ, at the error `alpha` of the whole family.

        See `beyond_doubt`.
        """
        return beyond_doubt(self.interval, self.adjusted, self.alpha, self.resolution)

    @property
    def lower(self) -> str | None:
        """The one with the smaller mean, None unless they separate."""
        if not self.separated or self.interval.mean is None:
            return None
        return self.first if self.interval.mean < 0 else self.second


def beyond_doubt(
    difference: Interval, adjusted: float, alpha: float, resolution: float = 0.0
) -> bool:
    """Whether a difference is told from zero, at the error `alpha` of its whole family.

    Never with fewer than `FEWEST` values, nor where it is `resolution` or less; `adjusted` is its
    p-value, corrected for the others of the family. The one rule, wherever things are compared.
    """
    return is_sampled(difference, resolution) and adjusted <= alpha


def is_sampled(difference: Interval, resolution: float = 0.0) -> bool:
    """Whether a difference rests on `FEWEST` values or more, and is larger than `resolution`."""
    return difference.n >= FEWEST and abs(difference.mean or 0.0) > resolution


def differences(
    first: Sequence[float | None], second: Sequence[float | None]
) -> tuple[list[float], float]:
    """first - second, replica by replica, where both are defined, and their least deviation.

    Raises ValueError when the two do not have the same number of replicas.
    """
    if len(first) != len(second):
        raise ValueError(
            f"{len(first)} and {len(second)} replicas cannot be paired: run the same replicas"
        )
    pairs = [
        (x, y)
        for x, y in zip(first, second, strict=True)
        if x is not None and y is not None and not math.isnan(x) and not math.isnan(y)
    ]
    found = [x - y for x, y in pairs]
    if not any(found):
        return found, 0.0  # The two did the same.
    return found, math.sqrt(2) * least_deviation(itertools.chain.from_iterable(pairs))


def paired_difference(
    first: Sequence[float | None], second: Sequence[float | None], level: float = 0.95
) -> Interval:
    """Student interval of first - second over paired replicas, in the unit of the values."""
    paired, least = differences(first, second)
    return student_interval(paired, level, least)


def paired_p_value(first: Sequence[float | None], second: Sequence[float | None]) -> float:
    """Two-sided p-value of the paired t test of equal means.

    1 with fewer than two pairs, and where all differences are zero (the two did the same); 0 where
    they are all equal otherwise, of values that come in no steps.
    """
    # SciPy takes longer to import than a short run takes.
    from scipy import special

    paired, least = differences(first, second)
    if len(paired) < 2:
        return 1.0
    mean, deviation = mean_and_deviation(paired)
    deviation = max(deviation, least)
    if deviation == 0:
        return 1.0 if mean == 0 else 0.0
    t = mean / (deviation / math.sqrt(len(paired)))
    return float(2 * special.stdtr(len(paired) - 1, -abs(t)))


def compare_all(
    values: Mapping[str, Sequence[float | None]], level: float = 0.95, resolution: float = 0.0
) -> list[Comparison]:
    """Every pair of `values` (name -> one value per replica), with Holm's correction over all.

    Each interval has the confidence at which its own hypothesis is tested in Holm's sequence:
    1 - alpha/(k - i) for the i-th smallest p-value of k, from 0, up to the first that is not
    rejected. There the sequence ends, and all that follow have the level of that step: so an
    interval excludes zero where Holm rejects. `resolution` is the share of a value to which all are
    measured. Raises ValueError for a bad level or unequal replicas.
    """
    check_level(level)
    alpha = 1 - level
    pairs = list(itertools.combinations(values, 2))
    p_values = [paired_p_value(values[a], values[b]) for a, b in pairs]
    adjusted = holm(p_values)
    means = {name: abs(student_interval(values[name], level).mean or 0.0) for name in values}
    order = sorted(range(len(pairs)), key=lambda index: p_values[index])
    rejected = sum(p_value <= alpha for p_value in adjusted)
    place = {index: min(at, rejected) for at, index in enumerate(order)}
    return [
        Comparison(
            first=a,
            second=b,
            interval=paired_difference(
                values[a], values[b], 1 - alpha / (len(pairs) - place[index])
            ),
            p_value=p_values[index],
            adjusted=adjusted[index],
            alpha=alpha,
            resolution=resolution * max(means[a], means[b]),
        )
        for index, (a, b) in enumerate(pairs)
    ]


def separated(
    first: Sequence[float | None],
    second: Sequence[float | None],
    *,
    level: float = 0.95,
    comparisons: int = 1,
) -> bool:
    """Whether the paired means differ, when this is one of `comparisons` made together.

    With more than one the strictest step of Holm's sequence (Bonferroni's) is asked for, since
    the p-values of the others are not known here; `compare_all` knows them. Raises ValueError
    when `comparisons` is below 1.
    """
    check_level(level)
    if comparisons < 1:
        raise ValueError(f"comparisons is {comparisons}, but there is at least this one")
    adjusted = min(1.0, comparisons * paired_p_value(first, second))
    return beyond_doubt(paired_difference(first, second, level), adjusted, 1 - level)
