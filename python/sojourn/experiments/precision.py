"""``precision = "5%"``: replicas are added until the intervals are that narrow.

The rule is sequential. After the first replicas, at least ten, the half-width of Student's 95 %
interval is compared with the allowed share of the mean, for each metric for which the precision is
requested. If it is too wide, the next number of replicas is the one that would suffice if the
deviation stayed the same, but at most twice the present number. All points that are compared
continue until the last of them is done, so that their replicas can be paired.

Stopping when the interval happens to be narrow costs some coverage; how much is in
`tests/stats/test_coverage.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sojourn._core import ScenarioError
from sojourn.experiments.executor import Executor
from sojourn.experiments.quantity import Quantity
from sojourn.scenario import Scenario
from sojourn.stats.sequential import enough
from sojourn.workers.tasks import Task

FEWEST = 10
"""The number of replicas before the first check: fewer say too little about the deviation."""

USUAL = "total.goodput_bps, total.delay_mean_s"
"""The metrics for which the precision is requested unless the scenario says otherwise."""


@dataclass(frozen=True)
class Goal:
    """Which intervals have to be how narrow, and the largest number of replicas for this."""

    share: float
    quantities: tuple[Quantity, ...]
    most: int

    @classmethod
    def of(cls, scenario: Scenario) -> Goal | None:
        """The goal of a scenario; None if its number of replicas is fixed.

        Raises :class:`sojourn.ScenarioError` if it concerns a metric that does not exist, even if
        the precision is put off.
        """
        share, asked = scenario.core.precision, scenario.core.precision_of
        if share is None and asked is None:
            return None
        texts = (asked or USUAL).split(",")
        try:
            quantities = tuple(Quantity.read(text.strip(), scenario) for text in texts)
        except ValueError as error:
            raise ScenarioError(f"{scenario.place}: precision_of: {error}") from None
        if share is None:
            return None
        # Those that the scenario asks for by itself are made whatever a precision may add.
        most = max(scenario.core.max_replicas, scenario.replicas)
        return cls(share, quantities, most)

    def first(self, replicas: int) -> int:
        """The number of replicas at the first check."""
        return min(max(replicas, FEWEST), self.most)

    def wanted(self, executor: Executor, tasks: Sequence[Task]) -> int:
        """How many replicas these points need next; the present number if that suffices."""
        samples = self._samples(executor, tasks).values()
        return min(max(enough(values, self.share) for values in samples), self.most)

    def missed(
        self, scenario: Scenario, executor: Executor, groups: Sequence[Sequence[Task]]
    ) -> list[str]:
        """Say which intervals are still too wide at the most replicas allowed, or do not exist."""
        missed: dict[str, list[int]] = {}
        undefined: dict[str, list[int]] = {}
        for tasks in groups:
            for (point, quantity), values in self._samples(executor, tasks).items():
                if all(value is None for value in values):
                    undefined.setdefault(quantity, []).append(point)
                elif enough(values, self.share) > len(values):
                    missed.setdefault(quantity, []).append(point)
        of_all = f"of {scenario.core.points}"
        return [
            f"{quantity}: not within {100 * self.share:g} % after {self.most} replicas at "
            f"{_points(points)} {of_all}"
            for quantity, points in missed.items()
        ] + [
            f"{quantity}: undefined in every replica at {_points(points)} {of_all}, so that its "
            "precision there is none"
            for quantity, points in undefined.items()
        ]

    def _samples(
        self, executor: Executor, tasks: Sequence[Task]
    ) -> dict[tuple[int, str], list[float | None]]:
        """The values of every replica, by point and quantity."""
        samples: dict[tuple[int, str], list[float | None]] = {}
        for task in tasks:
            tables = executor.tables(task)
            for quantity in self.quantities:
                value = quantity.value(tables)
                known = None if value is None or math.isnan(value) else value
                samples.setdefault((task.point, str(quantity)), []).append(known)
        return samples


def _points(points: Sequence[int]) -> str:
    if len(points) == 1:
        return f"point {points[0]}"
    return f"{len(points)} points"
