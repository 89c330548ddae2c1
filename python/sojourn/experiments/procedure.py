"""Which runs a scenario asks for, and in which order.

Pilot runs where the warm-up is ``"auto"``; then every replica of every point; then more replicas
where a precision is asked for. Everything that is decided on the way is decided from results of
runs alone, so it comes out the same on every machine, however often it was interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from sojourn.experiments.bench import Bench
from sojourn.experiments.cases import compared_points
from sojourn.experiments.pilot import choose_warmups
from sojourn.experiments.precision import Goal
from sojourn.experiments.share import WHOLE, Share
from sojourn.scenario import Scenario
from sojourn.workers.tasks import Task


@dataclass
class Plan:
    """The runs that the tables are made of, and what is to be said about them.

    It is ``whole`` where no run of the scenario is left out.
    """

    tasks: list[Task] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    whole: bool = True


def measured_runs(scenario: Scenario) -> list[Task]:
    """Every replica of every point, in order, as the scenario has them."""
    points = range(scenario.core.points)
    return [Task(point, number) for point in points for number in range(scenario.replicas)]


def fixed_runs(scenario: Scenario, share: Share = WHOLE) -> list[Task] | None:
    """The runs of a share of a scenario, in order; None where runs decide on further runs."""
    points = range(scenario.core.points)
    if Goal.of(scenario) is not None or None in map(scenario.core.warmup_s, points):
        return None
    return share.of(measured_runs(scenario))


def conduct(scenario: Scenario, bench: Bench, share: Share = WHOLE) -> Plan:
    """Carry out all runs of a scenario, or a share of them; return which they were.

    A share is a part of the runs. Where runs decide on further runs it is a part of the groups of
    points that are compared, since these decide together. Raises
    :class:`sojourn.ScenarioError` where the precision is asked of a metric that is not there.
    """
    fixed = fixed_runs(scenario, share)
    if fixed is not None:
        bench.perform(fixed)
        return Plan(fixed, whole=share.is_whole)
    goal = Goal.of(scenario)
    groups = share.of(compared_points(scenario))
    warmups, warnings = choose_warmups(scenario, bench, groups)

    def runs(points: Sequence[int], first: int, end: int) -> list[Task]:
        return [
            Task(point, replica, warmups.get(point))
            for point in points
            for replica in range(first, end)
        ]

    replicas = scenario.replicas if goal is None else goal.first(scenario.replicas)
    tasks = runs([point for group in groups for point in group], 0, replicas)
    bench.perform(tasks)
    if goal is not None:
        counts = [replicas] * len(groups)
        unsettled = list(range(len(groups)))
        while unsettled:
            further: list[Task] = []
            for index in list(unsettled):
                group, count = groups[index], counts[index]
                wanted = goal.wanted(bench, runs(group, 0, count))
                if wanted == count:
                    unsettled.remove(index)
                further += runs(group, count, wanted)
                counts[index] = wanted
            tasks += further
            bench.perform(further)
        measured = [runs(group, 0, n) for group, n in zip(groups, counts, strict=True)]
        warnings += goal.missed(scenario, bench, measured)
    return Plan(in_order(tasks), warnings, share.is_whole)


def in_order(tasks: Sequence[Task]) -> list[Task]:
    """By point, and the replicas of each in order."""
    return sorted(tasks, key=lambda task: (task.point, task.replica))
