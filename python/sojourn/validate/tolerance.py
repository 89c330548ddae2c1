"""How far our number may lie from a peer's.

A metric agrees within a share of the peer's number or an absolute amount, whichever is larger; or
where the peer's number lies inside the 99 % prediction interval that our replicas give for the mean
of as many runs, or ours inside that of the peer's own spread, whichever is wider.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import special

from sojourn.validate.evidence import Evidence, Row

CONFIDENCE = 0.99

ENOUGH = 20
"""Replicas below which no prediction interval is taken."""

STRICT = ("droptail", "pfifo", "bfifo", "red")
"""Disciplines that are held to the narrower tolerances."""


@dataclass(frozen=True)
class Tolerance:
    """What is allowed: a share of the peer's number, and an amount in the metric's unit."""

    relative: float
    absolute: float = 0.0

    def allows(self, theirs: float) -> float:
        """How far from ``theirs`` is still the same."""
        return max(self.relative * abs(theirs), self.absolute)

    def __str__(self) -> str:
        """A share and an amount."""
        share = f"{100 * self.relative:g} %" if self.relative else ""
        amount = f"{self.absolute:g}" if self.absolute else ""
        return " or ".join(part for part in (share, amount) if part) or "none"


ROUNDING = Tolerance(1e-9, 1e-9)
"""What floating-point numbers may differ by where no tolerance is given."""


def tolerance_of(evidence: Evidence, row: Row) -> Tolerance:
    """Return the tolerance of a row: what its evidence says, else the usual one of its metric."""
    for rule in evidence.tolerances:
        if rule.matches(row):
            return Tolerance(**rule.content)
    strict = row.subject in STRICT
    name = row.metric.rsplit(".", 1)[-1]
    if "delay" in name or "rtt" in name:
        return Tolerance(0.10 if strict else 0.15, 1e-3)
    if "ratio" in name:
        return Tolerance(0.15 if strict else 0.20, 1e-3)
    if "queue" in name or "drops" in name:
        return Tolerance(0.10 if strict else 0.15, 1.0)
    return Tolerance(0.02)


def spread(values_n: int, values_sd: float, row: Row) -> float:
    """Half the width of the wider prediction interval; zero below :data:`ENOUGH` replicas."""
    if values_n < ENOUGH:
        return 0.0
    scale = math.sqrt(1 / values_n + 1 / row.n)
    ours = _quantile(values_n - 1) * values_sd * scale
    theirs = _quantile(row.n - 1) * row.sd * scale if row.n > 1 else 0.0
    return max(ours, theirs)


def _quantile(freedom: int) -> float:
    return float(special.stdtrit(freedom, (1 + CONFIDENCE) / 2))
