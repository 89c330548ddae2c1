"""How metrics are written in tables: their headings, units and decimals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sojourn.summary import IntervalKind

FACTORS = {
    "": 1.0,
    "packets": 1.0,
    "%": 100.0,
    "ms": 1e3,
    "µs": 1e6,
    "Mbit/s": 1e-6,
    "kbit/s": 1e-3,
}
"""Unit of a column -> factor from ours to it."""

SMALLER = {"ms": "µs", "Mbit/s": "kbit/s"}
"""Unit -> a thousandth of it."""

LEGIBLE = 0.01
"""A mean below that in the unit of its column leaves too few of its digits to be read."""

LONG = 100.0
"""Nor is a mean read that is above that and would be written in thousandths of its unit."""


@dataclass(frozen=True)
class Column:
    """A metric in a table: its words, its unit, and decimals.

    Where a table has no room for all, that of the least ``priority`` is left out first; one without
    never is.
    """

    words: str
    unit: str = ""
    decimals: int = 3
    priority: int | None = None

    @property
    def heading(self) -> str:
        """Words and unit."""
        return f"{self.words} {self.unit}".rstrip()

    @property
    def factor(self) -> float:
        """The factor to its unit."""
        return FACTORS[self.unit]

    def fitted(self, means: Iterable[float | None]) -> Column:
        """The same in a smaller unit, where some of its means could not be read otherwise."""
        sizes = [abs(mean) * self.factor for mean in means if mean]
        if self.unit not in SMALLER or not sizes or min(sizes) >= LEGIBLE or max(sizes) > LONG:
            return self
        decimals = max(self.decimals - 2, 1)
        return replace(self, unit=SMALLER[self.unit], decimals=decimals)


OF_LINKS = {
    "utilization": Column("utilisation", priority=7),
    "throughput_bps": Column("throughput", "Mbit/s", priority=4),
    "loss_ratio": Column("loss", "%", priority=12),
    "marks_packets": Column("marks", decimals=1, priority=1),
    "queue_mean_packets": Column("queue", "packets", 2, priority=5),
    "queueing_delay_mean_s": Column("queueing delay", "ms", 2),
    "queueing_delay_p95_s": Column("p95", "ms", 2, priority=11),
}
"""What is shown of a link."""

OF_FLOWS = {
    "goodput_bps": Column("goodput", "Mbit/s"),
    "jain_index": Column("fairness", priority=9),
    "loss_ratio": Column("loss", "%", priority=12),
    "mark_ratio": Column("marked", "%", priority=10),
    "delay_mean_s": Column("one-way delay", "ms", 2),
    "delay_p95_s": Column("p95", "ms", 2, priority=11),
    "retransmits": Column("retransmits", decimals=1, priority=3),
    "timeouts": Column("timeouts", decimals=1, priority=2),
    "fct_s": Column("completion", "ms", 1),
    "slowdown_mean": Column("slowdown", decimals=2, priority=8),
}
"""What is shown of the flows of one name; goodput is that of all together."""

RARE = ("marks_packets", "mark_ratio", "retransmits", "timeouts")
"""What has no column where all of it is zero."""

OF_SO_MANY = "; n: of so many, where the others have no value"
"""What a caption says where a mean is one of fewer replicas than there are."""


def telling(
    columns: Mapping[str, Column], points: Sequence[Mapping[str, Any]], of: str
) -> dict[str, Column]:
    """The columns that say something of any of the ``links`` or ``groups`` of a summary, in units
    that fit."""
    rows = [row for point in points for row in measured(point, of).values()]
    return {
        key: column.fitted(row[key]["mean"] for row in rows if row.get(key))
        for key, column in columns.items()
        if any(_tells(key, row.get(key)) for row in rows)
    }


def measured(point: Mapping[str, Any], of: str) -> dict[str, Mapping[str, Any]]:
    """The metrics of the ``links`` or ``groups`` of a point; a flow alone has no fairness."""
    return {
        name: {**metrics, "jain_index": None}
        if of == "groups" and f"{name}.1" not in point["flows"]
        else metrics
        for name, metrics in point[of].items()
    }


def _tells(key: str, metric: Mapping[str, Any] | None) -> bool:
    """Whether a value is worth a column: a rare one of zero is not."""
    if metric is None or metric["mean"] is None:
        return False
    return metric["mean"] != 0 or key not in RARE


def metric_text(
    metric: Mapping[str, Any] | None,
    factor: float,
    decimals: int,
    interval: IntervalKind = "student",
    replicas: int | None = None,
) -> str:
    """A metric of a summary for people: its mean, and its interval where it has one.

    Of Student's ± half; of others both ends, since the mean need not lie in the middle. How many
    values it is made of, where these are fewer than the ``replicas``.
    """
    if metric is None or metric["mean"] is None:
        return "-"
    mean, ends = metric["mean"], metric["ci95"]
    count = of_fewer(metric["n"], replicas)
    if ends is None or interval == "student":
        half = None if ends is None else (ends[1] - ends[0]) / 2
        return mean_and_half(mean, half, factor, decimals) + count
    low, high = (f"{end * factor:.{decimals}f}" for end in ends)
    return f"{mean * factor:.{decimals}f} ({low} to {high}){count}"


def mean_and_half(mean: float, half: float | None, factor: float, decimals: int) -> str:
    """A mean ± half of its interval, if it has one."""
    text = f"{mean * factor:.{decimals}f}"
    return text if half is None else f"{text} ± {half * factor:.{decimals}f}"


def of_fewer(values: int, replicas: int | None) -> str:
    """How many replicas a mean is of, where the others have no value: `` (n = 3)``."""
    return "" if replicas is None or values == replicas else f" (n = {values})"


def most_values(metrics: Mapping[str, Any]) -> int:
    """The replicas of a row of a summary: as many as the metric that is defined most often has."""
    return max((of["n"] for of in metrics.values() if of and "n" in of), default=0)
