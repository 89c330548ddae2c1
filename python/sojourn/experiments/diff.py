"""Which metrics moved between two experiments, and whether significantly.

Points are matched by the values that vary, rows by their name. With the same seed, replica k of one
experiment faces the random streams of replica k of the other, and the two are compared in pairs;
with different seeds, by Welch's test. Holm's correction covers all metrics that moved. Replicas
that only one of the two has count only where nothing is paired.

If replicas are paired and one of the two lacks a value in some of them, the pairs that both have
are compared. The two means are taken over these too, so that their difference is the difference.

Metrics that did not move at all are not comparisons: if both experiments have the same values in
every common replica, there is nothing to decide.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress

import polars as pl

from sojourn.experiments.folder import Experiment
from sojourn.metrics import resolution
from sojourn.stats.alike import sampled
from sojourn.stats.holm import holm
from sojourn.stats.intervals import Interval, defined
from sojourn.stats.paired import beyond_doubt, paired_difference, paired_p_value
from sojourn.stats.unpaired import welch
from sojourn.tables import KEYS

TABLES = {"links": "link", "groups": "group", "total": None}
"""Tables that are compared, and the column that names their rows.

Single flows are left out, and so is a group of all flows: the total says the same.
"""

Values = dict[int, float | None]
"""By replica."""


@dataclass(frozen=True)
class Moved:
    """A metric whose values are not the same: second minus first, in its unit.

    ``difference.n`` is the number of pairs of replicas, or of values of the smaller side if nothing
    is paired.
    """

    vary: dict
    table: str
    name: str
    metric: str
    first: float | None
    second: float | None
    difference: Interval
    adjusted: float

    @property
    def relative(self) -> float | None:
        """The difference as a share of the first mean."""
        if not self.first or self.difference.mean is None:
            return None
        return self.difference.mean / abs(self.first)


@dataclass(frozen=True)
class Difference:
    """The outcome of comparing two experiments."""

    moved: list[Moved]
    compared: int
    paired: bool
    level: float
    only_first: list[dict] = field(default_factory=list)
    only_second: list[dict] = field(default_factory=list)

    def is_significant(self, moved: Moved) -> bool:
        """Whether a metric moved significantly, at the error level of the whole family.

        Never with fewer than three pairs, or three replicas of each if nothing is paired, and never
        if it moved by less than the resolution of percentiles.
        """
        step = resolution(moved.metric) * max(abs(moved.first or 0.0), abs(moved.second or 0.0))
        return beyond_doubt(moved.difference, moved.adjusted, 1 - self.level, step)


def diff(first: Experiment, second: Experiment, level: float = 0.95) -> Difference:
    """Compare two experiments, point by point and metric by metric.

    The moves are in the order of their certainty, then of their size. Raises ValueError if
    ``level`` is no confidence level.
    """
    points = [_points(each) for each in (first, second)]
    common = [label for label in points[0] if label in points[1]]
    paired = first.results.seed == second.results.seed
    alike = [each.results.alike for each in (first, second)]
    series = [list(_values(each)) for each in (first, second)]
    of_second = {(point, *row): values for point, *row, values in series[1]}
    label_of = {point: label for label, point in points[0].items()}
    found, compared = [], 0
    for point, table, name, metric, values in series[0]:
        label = label_of[point]
        if label not in points[1]:
            continue
        other_point = points[1][label]
        others = of_second.get((other_point, table, name, metric), {})
        shared = [replica for replica in values if replica in others]
        if not others or (paired and not shared):
            continue
        compared += 1
        if shared and all(values[replica] == others[replica] for replica in shared):
            continue
        if paired:
            values, others = ({each: of[each] for each in shared} for of in (values, others))
        one = sampled([*values.values()], point in alike[0])
        other = sampled([*others.values()], other_point in alike[1])
        interval, p_value = _difference(one, other, paired, level)
        if paired and interval.n:
            both = [x is not None and y is not None for x, y in zip(one, other, strict=True)]
            one, other = [*compress(one, both)], [*compress(other, both)]
        means = _mean(one), _mean(other)
        found.append(Moved(json.loads(label), table, name, metric, *means, interval, p_value))
    adjusted = holm([each.adjusted for each in found])
    moved = [replace(each, adjusted=p_value) for each, p_value in zip(found, adjusted, strict=True)]
    moved.sort(key=lambda each: (each.adjusted, -abs(each.relative or float("inf"))))
    only = [
        [json.loads(label) for label in points[number] if label not in common] for number in (0, 1)
    ]
    return Difference(moved, compared, paired, level, *only)


def _points(experiment: Experiment) -> dict[str, int]:
    """The points of an experiment by what varies at them."""
    vary = experiment.results.scenario.vary
    return {json.dumps(values, sort_keys=True): point for point, values in enumerate(vary)}


def _values(experiment: Experiment) -> Iterator[tuple[int, str, str, str, Values]]:
    """Every metric of every row: point, table, name, metric, its values by replica."""
    frames = experiment.results.frames()
    for table, entity in TABLES.items():
        frame = frames[table].sort("replica")
        keys = ["point"] if entity is None else ["point", entity]
        if entity == "group":
            frame = frame.filter(pl.col("group").n_unique().over("point") > 1)
        for key, rows in frame.group_by(keys, maintain_order=True):
            point, name = int(str(key[0])), "" if entity is None else str(key[1])
            for metric in frame.columns:
                if metric not in KEYS:
                    values = zip(rows["replica"], rows[metric], strict=True)
                    yield point, table, name, metric, dict(values)


def _difference(
    first: Sequence[float | None], second: Sequence[float | None], paired: bool, level: float
) -> tuple[Interval, float]:
    """Second minus first."""
    if not paired:
        return welch(second, first, level)
    return paired_difference(second, first, level), paired_p_value(second, first)


def _mean(values: Sequence[float | None]) -> float | None:
    kept = defined(values)
    return math.fsum(kept) / len(kept) if kept else None
