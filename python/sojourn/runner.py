"""Running scenarios: all points and replicas, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sojourn._core import Cancel
from sojourn.results import Outcome, Results, collect
from sojourn.scenario import Overrides, Scenario

LOOK_INTERVAL_S = 0.2
"""How often the waiting thread looks up, so that Ctrl-C is heard in time."""


class OnProgress(Protocol):
    """Is told how many runs are done."""

    def __call__(self, done: int, total: int) -> None:
        """``done`` of ``total`` runs are finished."""
        ...


@dataclass(frozen=True)
class Task:
    """One replica of one point, and where its trace goes."""

    point: int
    replica: int
    ns2_trace: Path | None = None


def run(
    scenario: Scenario | str | Path,
    *,
    replicas: int | None = None,
    seed: int | None = None,
    jobs: int | None = None,
    overrides: Overrides = (),
    series_interval: str | None = None,
    progress: OnProgress | None = None,
    trace_folder: Path | None = None,
) -> Results:
    """Run every point and replica of a scenario; return the frames.

    ``scenario`` is a :class:`Scenario`, the path of a file, or the name of a study. ``replicas``,
    ``seed`` and ``series_interval`` (such as ``"100 ms"``) go before the file's. ``jobs`` workers
    run at once, by default as many as there are cores; the results do not depend on it. Ctrl-C
    ends the runs in progress and returns what is finished, with ``complete`` false.

    Raises :class:`sojourn.ScenarioError` where the scenario is wrong and
    :class:`sojourn.LedgerError` where the books of a run do not balance.
    """
    scenario = _scenario(scenario, overrides, replicas, seed, series_interval)
    points, count = scenario.core.points, scenario.replicas
    tasks = [
        Task(point, replica, _trace_path(trace_folder, points, count, point, replica))
        for point in range(points)
        for replica in range(count)
    ]
    if trace_folder is not None:
        trace_folder.mkdir(parents=True, exist_ok=True)
    outcomes = _run_all(scenario, tasks, jobs or available_cores(), progress)
    return collect(scenario, outcomes, complete=len(outcomes) == len(tasks))


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _scenario(
    scenario: Scenario | str | Path,
    overrides: Overrides,
    replicas: int | None,
    seed: int | None,
    series_interval: str | None,
) -> Scenario:
    if not isinstance(scenario, Scenario):
        scenario = find(scenario)
    further: dict[str, object] = {}
    if replicas is not None:
        further["replicas"] = replicas
    if seed is not None:
        further["seed"] = seed
    if series_interval is not None:
        further["series"] = series_interval
    for more in (overrides, further):
        if more:
            scenario = scenario.with_overrides(more)
    return scenario


def find(name: str | Path) -> Scenario:
    """Load a scenario file, or the scenario of a study by its name."""
    path = Path(name)
    if path.suffix or path.exists():
        return Scenario.load(path)
    from sojourn import studies

    if str(name) not in studies.names():
        return Scenario.load(path)
    return Scenario.from_toml(studies.scenario_text(str(name)), place=str(name))


def _trace_path(
    folder: Path | None, points: int, replicas: int, point: int, replica: int
) -> Path | None:
    if folder is None:
        return None
    parts = ["trace"]
    if points > 1:
        parts.append(f"point{point}")
    if replicas > 1:
        parts.append(f"replica{replica}")
    return folder / ("-".join(parts) + ".tr")


def _run_all(
    scenario: Scenario, tasks: list[Task], jobs: int, progress: OnProgress | None
) -> list[Outcome]:
    cancel = Cancel()

    def work(task: Task) -> Outcome:
        tables = scenario.core.run(task.point, task.replica, cancel, task.ns2_trace)
        return Outcome(task.point, task.replica, tables)

    outcomes: list[Outcome] = []

    def take(done: Future[Outcome]) -> None:
        outcomes.append(done.result())
        if progress is not None:
            progress(len(outcomes), len(tasks))

    with ThreadPoolExecutor(max_workers=jobs) as pool, _cancelled_at_the_end(cancel):
        try:
            for done in _as_completed(pool, work, tasks, 2 * jobs):
                take(done)
        except KeyboardInterrupt:
            cancel.set()
    return outcomes


@contextmanager
def _cancelled_at_the_end(cancel: Cancel) -> Iterator[None]:
    """Whatever happens, let no run go on behind the caller's back."""
    try:
        yield
    finally:
        cancel.set()


def _as_completed(
    pool: ThreadPoolExecutor,
    work: Callable[[Task], Outcome],
    tasks: list[Task],
    ahead: int,
) -> Iterator[Future[Outcome]]:
    """Yield the runs as they finish, never more than ``ahead`` of them handed out."""
    waiting = iter(tasks)
    running: set[Future[Outcome]] = set()
    while True:
        while len(running) < ahead and (task := next(waiting, None)) is not None:
            running.add(pool.submit(work, task))
        if not running:
            return
        finished, running = wait(running, LOOK_INTERVAL_S, FIRST_COMPLETED)
        yield from finished
