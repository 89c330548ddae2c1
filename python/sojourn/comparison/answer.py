"""The answer of a comparison: one row for each discipline, the best of each column marked.

A value is called best only where its paired interval separates from every other's (Student,
corrected by Holm over all pairs of a column), and by more than is not worth mentioning; where none
does, none is marked. None is with fewer than three replicas, nor where all replicas of a discipline
are the same run.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sojourn.columns import OF_FLOWS, OF_LINKS, RARE, Column
from sojourn.comparing import LEAST, by_replica, per_replica
from sojourn.metrics import resolution
from sojourn.results import Results
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.ranking import Better, rank


@dataclass(frozen=True)
class Compared:
    """A metric in the table: where it comes from, how it is written, its good end."""

    key: str
    quantity: str
    column: Column
    better: Better | None


COMPARED = (
    Compared("utilization", "links.bottleneck.utilization", OF_LINKS["utilization"], "higher"),
    Compared("goodput_bps", "total.goodput_bps", OF_FLOWS["goodput_bps"], "higher"),
    Compared(
        "delay_mean_s",
        "links.bottleneck.queueing_delay_mean_s",
        OF_LINKS["queueing_delay_mean_s"],
        "lower",
    ),
    Compared(
        "delay_p95_s",
        "links.bottleneck.queueing_delay_p95_s",
        OF_LINKS["queueing_delay_p95_s"],
        "lower",
    ),
    Compared(
        "delay_p99_s",
        "links.bottleneck.queueing_delay_p99_s",
        Column("p99", "ms", 2, priority=6),
        "lower",
    ),
    Compared("loss_ratio", "links.bottleneck.loss_ratio", OF_LINKS["loss_ratio"], "lower"),
    Compared(
        "marks_packets",
        "links.bottleneck.marks_packets",
        Column("marks", decimals=0, priority=1),
        None,
    ),
    Compared("jain_index", "", Column("fairness", decimals=4, priority=9), "higher"),
)
"""The columns, in their order. Fairness has no quantity: it is that of the elastic flows."""


@dataclass(frozen=True)
class Cell:
    """A value, its interval over replicas, and whether it is the best beyond doubt."""

    interval: Interval
    best: bool


@dataclass(frozen=True)
class Answer:
    """The cells of each discipline by column."""

    labels: tuple[str, ...]
    rows: dict[str, dict[str, Cell]]
    replicas: int

    def means(self, metric: Compared) -> list[float | None]:
        """The mean of each discipline."""
        return [row[metric.key].interval.mean for row in self.rows.values()]

    def tells(self, metric: Compared) -> bool:
        """Whether a metric says anything: not of marks where nobody marks, nor without a value."""
        means = self.means(metric)
        return any(mean is not None and (mean or metric.key not in RARE) for mean in means)


def answer(results: Results, labels: list[str], elastic: list[str], least: float = LEAST) -> Answer:
    """Compare the points of `results`, one for each label, over all columns.

    `elastic` names the groups of flows that send as much as they can: fairness is theirs, since a
    flow that wants less than its share is not treated unfairly. A best value must be ahead by more
    than the share ``least``.
    """
    rows: dict[str, dict[str, Cell]] = {label: {} for label in labels}
    for metric in COMPARED:
        found = per_replica(results, metric.quantity) if metric.quantity else {}
        found = found or fairness(results, elastic)
        values = {label: found[point] for point, label in enumerate(labels)}
        best: set[str] = set()
        if metric.better is not None and len(labels) > 1:
            ranks = rank(values, metric.better, resolution=max(least, resolution(metric.quantity)))
            best = {name for name, one in ranks.items() if len(one.beats) == len(labels) - 1}
        for label in labels:
            cell = Cell(student_interval(values[label]), label in best)
            rows[label][metric.key] = cell
    return Answer(tuple(labels), rows, results.replicas)


def fairness(results: Results, elastic: list[str]) -> dict[int, list[float | None]]:
    """Jain's index of the goodputs of the flows of some groups, at each point by replica.

    None where there are less than two of them, or none of them got anything.
    """
    goodput = pl.col("goodput_bps")
    squares = (goodput**2).sum() * pl.len()
    jain = pl.when(pl.len() > 1, squares > 0).then(goodput.sum() ** 2 / squares)
    rows = (
        results.flows.filter(pl.col("group").is_in(elastic))
        .group_by("point", "replica", maintain_order=True)
        .agg(jain.alias("jain_index"))
    )
    return by_replica(results, {(point, replica): one for point, replica, one in rows.iter_rows()})


def document(found: Answer) -> list[dict[str, object]]:
    """The rows as plain data: ``{mean, ci95, n, best}`` for each column."""
    rows: list[dict[str, object]] = []
    for label in found.labels:
        row: dict[str, object] = {"discipline": label}
        for key, cell in found.rows[label].items():
            low, high = cell.interval.low, cell.interval.high
            ci95 = None if low is None or high is None else [low, high]
            metric = {"mean": cell.interval.mean, "ci95": ci95, "n": cell.interval.n}
            row[key] = metric | {"best": cell.best}
        rows.append(row)
    return rows
