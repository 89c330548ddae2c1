"""Which runs a scenario asks for, and in which order.

Pilot runs if the warm-up is ``"auto"``; then every replica of every point; then more replicas if a
precision is requested. Every decision on the way is made from results of runs alone, so it is the
same on every machine, however often the experiment was interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.experiments.cases import compared_points
from sojourn.experiments.executor import Executor
from sojourn.experiments.pilot import choose_warmups
from sojourn.experiments.precision import Goal
from sojourn.experiments.share import WHOLE, Share
from sojourn.scenario import Scenario
from sojourn.workers.tasks import Task


@dataclass
class Plan:
    """The runs from which the tables are made, and warnings about them.

    It is ``whole`` if no run of the scenario is left out.
    """

    tasks: list[Task] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    whole: bool = True


def measured_runs(scenario: Scenario) -> list[Task]:
    """Every replica of every point, in order, as the scenario has them."""
    points = range(scenario.core.points)
    return [Task(point, number) for point in points for number in range(scenario.replicas)]


def fixed_runs(scenario: Scenario, share: Share = WHOLE) -> list[Task] | None:
    """The runs of a share of a scenario, in order; None if runs decide on further runs."""
    points = range(scenario.core.points)
    if Goal.of(scenario) is not None or None in map(scenario.core.warmup_s, points):
        return None
    return share.of(measured_runs(scenario))


def execute_plan(
    scenario: Scenario, executor: Executor, share: Share = WHOLE, point: int | None = None
) -> Plan:
    """Carry out all runs of a scenario, a share of them, or those of one point; return which they
    were.

    A share is a part of the runs. If runs decide on further runs, it is a part of the groups of
    points that are compared, since each group decides as a whole; so the group of the one ``point``
    is carried out with it, and its runs are the same as among all others. Raises
    :class:`sojourn.ScenarioError` if the precision concerns a metric that does not exist.
    """

    def wanted(tasks: Sequence[Task]) -> list[Task]:
        return [task for task in tasks if point in (None, task.point)]

    whole = share.is_whole and (point is None or scenario.core.points == 1)
    fixed = fixed_runs(scenario, share)
    if fixed is not None:
        fixed = wanted(fixed)
        executor.execute(fixed)
        return Plan(fixed, whole=whole)
    goal = Goal.of(scenario)
    groups = [group for group in share.of(compared_points(scenario)) if point in (None, *group)]
    warmups, warnings = choose_warmups(scenario, executor, groups)

    replicas = scenario.replicas if goal is None else goal.first(scenario.replicas)
    counts = [replicas] * len(groups)
    executor.execute([task for group in groups for task in _runs(group, range(replicas), warmups)])
    if goal is not None:
        counts = _until_narrow(goal, executor, groups, replicas, warmups)
    measured = [
        _runs(group, range(count), warmups) for group, count in zip(groups, counts, strict=True)
    ]
    if goal is not None:
        warnings += goal.missed(scenario, executor, measured)
    return Plan(in_order(wanted([task for tasks in measured for task in tasks])), warnings, whole)


def _until_narrow(
    goal: Goal,
    executor: Executor,
    groups: Sequence[Sequence[int]],
    replicas: int,
    warmups: Mapping[int, str],
) -> list[int]:
    """Add to the ``replicas`` of each group until its precision is reached; return their number."""
    counts = [replicas] * len(groups)
    unsettled = list(range(len(groups)))
    while unsettled:
        further: list[Task] = []
        for index in list(unsettled):
            group, count = groups[index], counts[index]
            counts[index] = goal.wanted(executor, _runs(group, range(count), warmups))
            if counts[index] == count:
                unsettled.remove(index)
            further += _runs(group, range(count, counts[index]), warmups)
        executor.execute(further)
    return counts


def _runs(points: Sequence[int], replicas: range, warmups: Mapping[int, str]) -> list[Task]:
    """Some replicas of points, with the warm-ups that were chosen for them."""
    return [Task(point, replica, warmups.get(point)) for point in points for replica in replicas]


def in_order(tasks: Sequence[Task]) -> list[Task]:
    """By point, and the replicas of each in order."""
    return sorted(tasks, key=lambda task: (task.point, task.replica))
