"""Bootstrap intervals for the mean of replicas that are far from Gaussian.

Source: B. Efron, "Better bootstrap confidence intervals", Journal of the American Statistical
Association 82 (1987) 171-185 (BCa: corrected for bias and skewness); B. Efron, R. J. Tibshirani,
"An Introduction to the Bootstrap" (1993), section 14.3.

The replicas are drawn with replacement 2000 times. With few replicas the resamples know too little
of the tails and the interval is too narrow: below thirty, use Student's, or add replicas.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from sojourn.stats.intervals import Interval, check_level, defined

if TYPE_CHECKING:
    import numpy as np

RESAMPLES = 2000
"""Efron and Tibshirani ask for at least a thousand."""

FEWEST = 30
"""Replicas below which a bootstrap interval promises more than it holds."""

SEED = 20_060_417
"""The resamples are the same for the same values, wherever and whenever they are asked for."""

Method = Literal["BCa", "percentile"]


def bootstrap_interval(
    values: Iterable[float | None], level: float = 0.95, method: Method = "BCa"
) -> Interval:
    """Mean and two-sided bootstrap interval over replicas.

    `values` holds one value per replica, in any order; None and NaN stand for "undefined in this
    replica" and are left out. Raises ValueError when `level` is not between 0 and 1.
    """
    check_level(level)
    kept = sorted(defined(values))
    if not kept:
        return Interval(None, None, None, 0)
    if len(kept) == 1:
        return Interval(kept[0], None, None, 1)
    if kept[0] == kept[-1]:
        return Interval(kept[0], kept[0], kept[0], len(kept))
    # NumPy takes longer to import than a short run takes.
    import numpy as np

    array = np.array(kept)
    with warnings.catch_warnings():
        # Two or three replicas can leave BCa without an answer; the percentile one is taken then.
        warnings.simplefilter("ignore")
        low, high = _interval(array, level, method)
        if np.isnan(low) or np.isnan(high):
            low, high = _interval(array, level, "percentile")
    return Interval(float(np.mean(array)), float(low), float(high), len(kept))


def _interval(values: np.ndarray, level: float, method: Method) -> tuple[float, float]:
    # SciPy takes longer still.
    import numpy as np
    from scipy import stats

    result = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=RESAMPLES,
        confidence_level=level,
        method=method,
        vectorized=True,
        rng=np.random.Generator(np.random.Philox(SEED)),
    )
    return result.confidence_interval.low, result.confidence_interval.high
