"""The answer of a comparison: one row for each discipline, the best of each column marked.

A value is called best only where its paired interval separates from every other's (Student,
corrected by Holm over all pairs of a column); where none does, none is marked.
"""

from __future__ import annotations

from dataclasses import dataclass

from sojourn.comparing import per_replica
from sojourn.results import Results
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.ranking import Better, rank


@dataclass(frozen=True)
class Column:
    """A metric in the table: where it comes from, its heading, factor, decimals, good end."""

    key: str
    quantity: str
    heading: str
    factor: float
    decimals: int
    better: Better | None


COLUMNS = (
    Column("utilization", "links.bottleneck.utilization", "utilisation", 1, 3, "higher"),
    Column("goodput_bps", "total.goodput_bps", "goodput Mbit/s", 1e-6, 3, "higher"),
    Column(
        "delay_mean_s", "links.bottleneck.queueing_delay_mean_s", "delay mean ms", 1e3, 2, "lower"
    ),
    Column("delay_p95_s", "links.bottleneck.queueing_delay_p95_s", "p95 ms", 1e3, 2, "lower"),
    Column("delay_p99_s", "links.bottleneck.queueing_delay_p99_s", "p99 ms", 1e3, 2, "lower"),
    Column("loss_ratio", "links.bottleneck.loss_ratio", "loss %", 100, 3, "lower"),
    Column("marks_packets", "links.bottleneck.marks_packets", "marks", 1, 0, None),
    Column("jain_index", "total.jain_index", "fairness", 1, 4, "higher"),
)
"""The columns, in their order."""


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


def answer(results: Results, labels: list[str]) -> Answer:
    """Compare the points of `results`, one for each label, over all columns."""
    rows: dict[str, dict[str, Cell]] = {label: {} for label in labels}
    for column in COLUMNS:
        found = per_replica(results, column.quantity)
        values = {label: found[point] for point, label in enumerate(labels)}
        best: set[str] = set()
        if column.better is not None and len(labels) > 1:
            ranks = rank(values, column.better)
            best = {name for name, one in ranks.items() if len(one.beats) == len(labels) - 1}
        for label in labels:
            cell = Cell(student_interval(values[label]), label in best)
            rows[label][column.key] = cell
    return Answer(tuple(labels), rows, results.replicas)


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
