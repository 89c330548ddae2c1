"""Holm's correction for several comparisons made at once.

Source: S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal
of Statistics 6 (1979) 65-70.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p-values, in the order given.

    With the p-values in ascending order, the i-th (from 0) of k is multiplied by k - i; an
    adjusted value is never below an earlier one, and never above 1. Rejecting every hypothesis
    whose adjusted value is at most alpha keeps the chance of any false rejection at most alpha.
    Raises ValueError when a value is not a probability.
    """
    for p_value in p_values:
        if not 0 <= p_value <= 1:
            raise ValueError(f"{p_value} is not a probability")
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [1.0] * len(p_values)
    highest = 0.0
    for place, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = highest
    return adjusted
