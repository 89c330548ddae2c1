"""How a metric is written at an axis: in words, in a unit that people use."""

from __future__ import annotations

from dataclasses import dataclass, replace

UNITS = {
    "_bps": (1e-6, "Mbit/s"),
    "_s": (1e3, "ms"),
    "_packets": (1.0, "packets"),
    "_bytes": (1e-3, "kB"),
}
"""Ending of a metric -> factor and unit at an axis."""

PERCENT = (
    "utilization",
    "loss_ratio",
    "delivery_ratio",
    "mark_ratio",
    "loss_synchronization_ratio",
)
"""Metrics that are shares of one."""

WORDS = {
    "utilization": "utilisation",
    "loss_ratio": "loss",
    "delivery_ratio": "delivered",
    "mark_ratio": "marked",
    "loss_synchronization_ratio": "flows that lose at once",
    "loss_event_mean": "mean loss event",
    "loss_gap_mean": "mean time between losses",
    "loss_gap_p50": "median time between losses",
    "loss_gap_p95": "95th percentile of the time between losses",
    "jain_index": "Jain's fairness index",
    "cwnd": "congestion window",
    "srtt": "smoothed round-trip time",
    "rtt_mean": "mean round-trip time",
    "fct": "mean completion time",
    "prob": "probability",
    "prob_max": "largest probability of a bin",
    "prob_mean": "mean probability of a bin",
    "prob_classic": "probability for classic packets",
    "avg": "average queue",
}
"""What is not said by the parts of its name."""

KINDS = {
    "mean": "mean",
    "max": "greatest",
    "p50": "median",
    "p95": "95th percentile of the",
    "p99": "99th percentile of the",
}
"""How a name ends before its unit, and what that means."""


@dataclass(frozen=True)
class AxisLabel:
    """A metric at an axis: its name in words, its unit, and the factor from ours to it."""

    words: str
    unit: str
    factor: float

    @property
    def label(self) -> str:
        """Words and unit, as an axis has them."""
        words = self.words[:1].upper() + self.words[1:]
        return f"{words} ({self.unit})" if self.unit else words


def axis_label(metric: str) -> AxisLabel:
    """How a metric is shown; what is unknown goes by its own name."""
    if metric in PERCENT:
        return AxisLabel(WORDS[metric], "%", 100.0)
    stem, factor, unit = metric, 1.0, ""
    for ending, (times, name) in UNITS.items():
        if metric.endswith(ending):
            stem, factor, unit = metric.removesuffix(ending), times, name
            break
    return AxisLabel(WORDS.get(stem, _words(stem)), unit, factor)


def axis_label_of(quantity: str) -> AxisLabel:
    """How a quantity is shown: the metrics of flows and groups with whose they are."""
    table, _, rest = quantity.partition(".")
    name, _, metric = rest.rpartition(".")
    how = axis_label(metric)
    return replace(how, words=f"{how.words} of {name}") if table in ("flows", "groups") else how


def _words(stem: str) -> str:
    of, _, kind = stem.rpartition("_")
    if kind not in KINDS:
        return stem.replace("_", " ")
    return f"{KINDS[kind]} {of.replace('_', ' ')}"
