"""Bounds for the chance of an event that was counted, seldom or never.

Source: C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
case of the binomial", Biometrika 26 (1934) 404-413; for no events J. A. Hanley, A. Lippman-Hand,
"If nothing goes wrong, is everything all right?", JAMA 249 (1983) 1743-1745 (the rule of three).

The bounds take the trials as independent. Packets of one queue are not: losses come in bursts. For
them the bound tells how little can be said at best.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable

from sojourn.stats.intervals import check_level


def clopper_pearson(events: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Two-sided interval of the chance of an event. Raises ValueError for impossible counts."""
    # SciPy takes longer to import than a short run takes.
    from scipy import special

    check_level(level)
    if not 0 <= events <= trials or trials == 0:
        raise ValueError(f"{events} events in {trials} trials: allowed: 0 to as many as trials")
    tail = (1 - level) / 2
    low = 0.0 if events == 0 else special.betaincinv(events, trials - events + 1, tail)
    high = 1.0 if events == trials else special.betaincinv(events + 1, trials - events, 1 - tail)
    return float(low), float(high)


def never_seen_bound(trials: int, level: float = 0.95) -> float:
    """One-sided upper bound of the chance of an event that never happened in `trials`.

    About 3 / trials at 95 %: the rule of three. Raises ValueError without trials.
    """
    check_level(level)
    if trials < 1:
        raise ValueError("no trials, no bound")
    return _never_seen_bound(trials, math.log1p(-level))


def never_seen_bounds(
    events: Iterable[float], trials: Iterable[float], level: float = 0.95
) -> array[float]:
    """The same bound for each pair of events and trials; NaN where there were events, or NaN."""
    check_level(level)
    log_tail = math.log1p(-level)
    return array(
        "d",
        [
            _never_seen_bound(number, log_tail) if count == 0 else math.nan
            for count, number in zip(events, trials, strict=True)
        ],
    )


def _never_seen_bound(trials: float, log_tail: float) -> float:
    return -math.expm1(log_tail / trials)
