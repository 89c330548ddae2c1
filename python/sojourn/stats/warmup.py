"""MSER-5: where the start-up of a series of observations ends.

Sources: K. P. White, "An effective truncation heuristic for bias reduction in simulation output",
Simulation 69 (1997) 323-334; S. C. Spratt, "Heuristics for the startup problem", University of
Virginia (1998), for batches of five; K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five
steady-state truncation heuristics for simulation", Winter Simulation Conference (2000).

The observations are averaged in batches of five, Z_0 ... Z_(n-1). Leaving out the first d of them,

    MSER(d) = 1 / (n - d)^2 * sum over j >= d of (Z_j - mean over j >= d)^2

is the squared standard error of what remains, as if it were independent. The d that makes it
smallest is where to start: further out the series is too short, before it too biased.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

BATCH = 5
"""Observations in a batch."""

ROUNDING = 1e-9
"""Batches that differ by no more than this share of the largest are the same but for rounding."""


@dataclass(frozen=True)
class Truncation:
    """``dropped`` observations belong to the start-up.

    ``is_settled`` is False where the best place is the last that was looked at, half of the
    series: then the start-up may well last longer, and the run is too short.
    """

    dropped: int
    is_settled: bool


def mser5(observations: Sequence[float] | np.ndarray) -> Truncation:
    """Find the end of the start-up. Raises ValueError for fewer than four batches."""
    # NumPy takes longer to import than a short run takes.
    import numpy as np

    values = np.asarray(observations, dtype=float)
    count = len(values) // BATCH
    if count < 4:
        raise ValueError(f"{len(values)} observations; MSER-5 needs at least {4 * BATCH}")
    batches = values[: count * BATCH].reshape(count, BATCH).mean(axis=1).tolist()
    last = count // 2
    errors = [_error(batches[d:]) for d in range(last + 1)]
    best = errors.index(min(errors))
    return Truncation(best * BATCH, is_settled=best < last)


def _error(rest: list[float]) -> float:
    """The squared standard error of the mean of the rest; `fsum` is the same everywhere."""
    if max(rest) - min(rest) <= ROUNDING * max(map(abs, rest)):
        return 0.0
    mean = math.fsum(rest) / len(rest)
    return math.fsum((value - mean) ** 2 for value in rest) / len(rest) ** 2
