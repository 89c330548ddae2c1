"""Runs the points that a peer has measured, and compares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import polars as pl

from sojourn._core import Tables
from sojourn.experiments.executor import MemoryExecutor
from sojourn.results import Results, collect
from sojourn.scenario import Scenario
from sojourn.stats.intervals import defined, mean_and_deviation
from sojourn.validate.cases import Point, points_of
from sojourn.validate.evidence import Evidence, EvidenceError, Row
from sojourn.validate.finding import Finding, Verdict, number
from sojourn.validate.tolerance import Tolerance, spread, tolerance_of
from sojourn.workers.execute import available_cores
from sojourn.workers.listener import Listener, OnProgress
from sojourn.workers.tasks import Outcome, Task
from sojourn.workers.threads import Threads, started


@dataclass(frozen=True)
class Check:
    """One number of a peer beside ours."""

    evidence: str
    row: Row
    ours: float
    ours_sd: float
    replicas: int
    tolerance: Tolerance
    spread: float
    """Half the width of the prediction interval."""
    reason: str
    """Why they differ, where that is known."""

    @property
    def difference(self) -> float:
        """Ours less theirs."""
        return self.ours - self.row.mean

    @property
    def verdict(self) -> Verdict:
        """Judge the difference."""
        if abs(self.difference) <= self.tolerance.allows(self.row.mean):
            return Verdict.AGREES
        if abs(self.difference) <= self.spread:
            return Verdict.BY_SPREAD
        return Verdict.EXPLAINED if self.reason else Verdict.DIFFERS

    @property
    def finding(self) -> Finding:
        """The check as a line of the table."""
        row, verdict = self.row, self.verdict
        beside = f" or spread {self.spread:.2g}" if self.spread else ""
        return Finding(
            evidence=self.evidence,
            discipline=row.subject,
            case=row.label,
            check=row.metric,
            ours=number(self.ours),
            theirs=number(row.mean),
            tolerance=f"{self.tolerance}{beside}",
            verdict=verdict,
            source=f"{row.peer}: {row.run}",
            reason=self.reason if verdict is Verdict.EXPLAINED else "",
        )


@dataclass(frozen=True)
class Plan:
    """What is to be run of one body of evidence."""

    evidence: Evidence
    scenarios: tuple[Scenario, ...]
    points: dict[Row, Point]


def plan(evidence: Evidence, *, quick: bool = False) -> Plan:
    """Match rows with points; ``quick`` keeps the first case of each subject only.

    Raises :class:`EvidenceError` and :class:`sojourn.ScenarioError`.
    """
    scenarios = tuple(Scenario.load(path) for path in evidence.networks)
    points = points_of(evidence, scenarios)
    if quick:
        first: dict[str, Point] = {}
        for row, point in points.items():
            first.setdefault(row.subject, point)
        points = {row: point for row, point in points.items() if first[row.subject] == point}
    return Plan(evidence, scenarios, points)


def compare(
    plan: Plan, *, jobs: int | None = None, progress: OnProgress | None = None
) -> list[Check]:
    """Run what is planned and check every row, in the order of the rows.

    Where the evidence says how many replicas come first, the others are run for those points alone
    of which a number then lies outside its tolerance.
    """
    first = plan.evidence.first_replicas
    with started(jobs or available_cores()) as threads:
        runs = _Runs(plan, threads, progress)
        runs.execute(set(plan.points.values()), first)
        checks = runs.checks()
        if first is not None:
            doubtful = {
                plan.points[check.row] for check in checks if check.verdict is not Verdict.AGREES
            }
            runs.execute(doubtful, None)
            checks = runs.checks()
    return checks


class _Runs:
    """The runs of a plan that are done, and those that are to be."""

    def __init__(self, plan: Plan, threads: Threads, progress: OnProgress | None) -> None:
        self._plan = plan
        self._progress = progress
        self._done = self._total = 0
        self._executors = [self._executor(scenario, threads) for scenario in plan.scenarios]

    def _executor(self, scenario: Scenario, threads: Threads) -> MemoryExecutor:
        def work(task: Task) -> Tables:
            return scenario.core.run(task.point, task.replica, threads.cancel, None)

        return MemoryExecutor(lambda missing: threads.each(work, missing), Listener(self._ran))

    def _ran(self, _done: int, _total: int) -> None:
        self._done += 1
        if self._progress is not None:
            self._progress(self._done, self._total)

    def execute(self, points: Iterable[Point], most: int | None) -> None:
        """Run all replicas of some points, or the first ``most`` of them."""
        wanted: list[list[Task]] = [[] for _ in self._executors]
        for at in sorted(points):
            replicas = self._plan.scenarios[at.network].replicas
            tasks = [Task(at.point, number) for number in range(min(most or replicas, replicas))]
            done = self._executors[at.network].done
            wanted[at.network] += [task for task in tasks if task not in done]
        self._total += sum(len(tasks) for tasks in wanted)
        for executor, tasks in zip(self._executors, wanted, strict=True):
            if tasks:
                executor.execute(tasks)

    def checks(self) -> list[Check]:
        """Check every row against what is done."""
        plan = self._plan
        networks = {at.network for at in plan.points.values()}
        results = {network: self._results(network) for network in networks}
        return [
            _check(plan.evidence, row, results[at.network], at.point)
            for row, at in plan.points.items()
        ]

    def _results(self, network: int) -> Results:
        done = self._executors[network].done
        tasks = sorted(done, key=lambda task: (task.point, task.replica))
        outcomes = (Outcome(task, done[task]) for task in tasks)
        return collect(self._plan.scenarios[network], outcomes, complete=True)


def _check(evidence: Evidence, row: Row, results: Results, point: int) -> Check:
    values = _values(evidence, row, results, point)
    mean, sd = mean_and_deviation(values) if len(values) > 1 else (values[0], 0.0)
    reasons = [str(rule.content["reason"]) for rule in evidence.known if rule.matches(row)]
    return Check(
        evidence=evidence.name,
        row=row,
        ours=mean,
        ours_sd=sd,
        replicas=len(values),
        tolerance=tolerance_of(evidence, row),
        spread=spread(len(values), sd, row),
        reason=reasons[0] if reasons else "",
    )


def _values(evidence: Evidence, row: Row, results: Results, point: int) -> list[float]:
    """Return a metric of one point, replica by replica."""
    table, *name, metric = row.metric.split(".")
    frames = {"links": results.links, "groups": results.groups, "flows": results.flows}
    frame = frames.get(table, results.totals).filter(pl.col("point") == point)
    if name:
        frame = frame.filter(pl.col(table.removesuffix("s")) == ".".join(name))
    if metric not in frame.columns or frame.is_empty():
        place = f"{evidence.name}/peer.csv:{row.line}"
        raise EvidenceError(f"{place}: there is no metric {row.metric!r}")
    return defined(_floats(frame[metric].to_list()))


def _floats(values: Iterable[float | None]) -> list[float]:
    return [float("nan") if value is None else float(value) for value in values]
