"""Running scenarios: all points and replicas, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import brief
from sojourn.experiments.executor import MemoryExecutor
from sojourn.experiments.procedure import execute_plan
from sojourn.lookup import prepared
from sojourn.outcomes import Outcomes
from sojourn.progress import Progress, progress_bar
from sojourn.scenario import Overrides, Scenario
from sojourn.traces import Traces
from sojourn.workers.execute import execute, runs_at_once
from sojourn.workers.forks import check_process
from sojourn.workers.listener import Listener
from sojourn.workers.tasks import Finished, Outcome, Task
from sojourn.workers.threads import started

if TYPE_CHECKING:
    from sojourn.results import Results


@brief
def run(
    scenario: Scenario | str | Path,
    *,
    replicas: int | None = None,
    seed: int | None = None,
    precision: str | None = None,
    point: int | None = None,
    jobs: int | None = None,
    overrides: Overrides = (),
    series_interval: str | None = None,
    progress: Progress = None,
    trace_folder: str | Path | None = None,
    trace_format: str = "ns2",
    trace_links: Sequence[str] = (),
    trace_payload: bool = False,
) -> Results:
    """Run every point and replica of a scenario; return the frames.

    ``scenario`` is a :class:`Scenario`, the path of a file, or the name of a study. ``replicas``,
    ``seed``, ``precision`` (such as ``"5%"``: replicas are added until the intervals are that
    narrow) and ``series_interval`` (such as ``"100 ms"``) override the file. With ``point``, a
    number from 0, the results are those of this point alone, the same as among all others, and
    ``complete`` is false if there are others. ``jobs`` runs are carried out at once, by default one
    per core; the results do not depend on it. Ctrl-C ends the runs in progress and returns what is
    finished, with ``complete`` false. ``progress`` is called with the number of finished runs and
    of all; ``"bar"`` shows a bar, as notebooks do by default.

    Traces in ``trace_format`` are written into ``trace_folder``. ``"ns2"``: one file for all links,
    ``trace[-pointP][-replicaR].tr``. ``"pcapng"``: a capture for each link,
    ``trace...-LINK.pcapng``, and one of what it dropped, ``trace...-LINK-drops.pcapng``;
    ``trace_links`` selects links, ``trace_payload`` stores the payload too, all zeros.

    Raises :class:`sojourn.ScenarioError` if the scenario is wrong, :class:`sojourn.LedgerError` if
    the books of a run do not balance, and :class:`sojourn.UserCodeError` if a discipline or a
    congestion control in Python raised an exception.
    """
    # Polars takes longer to import than a short run takes, and the program may do without.
    from sojourn.results import of_outcomes

    check_process()
    scenario = prepared(scenario, overrides, replicas, seed, series_interval, precision)
    if point is not None:
        if not isinstance(point, int) or isinstance(point, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("point", point, "the number of a point, from 0")
        scenario.check_point(point, "point")
    traces = None
    if trace_folder is not None:
        folder = as_path("trace_folder", trace_folder)
        traces = Traces(folder, trace_format, trace_links, trace_payload)
        traces.check_arguments()
    return of_outcomes(outcomes_of(scenario, jobs, progress, traces, point))


def outcomes_of(
    scenario: Scenario,
    jobs: int | None,
    progress: Progress,
    traces: Traces | None,
    point: int | None = None,
) -> Outcomes:
    """Carry out the runs of a scenario as :func:`run` does, and make no frames of them."""
    jobs = runs_at_once(jobs)
    if traces is not None:
        traces.check(scenario)
        traces.folder.mkdir(parents=True, exist_ok=True)

    def is_wanted(task: Task) -> bool:
        return not task.is_pilot and point in (None, task.point)

    def carry_out(tasks: Sequence[Task]) -> Finished:
        traced = [
            (task, traces.of(scenario, task) if traces and is_wanted(task) else None)
            for task in tasks
        ]
        return execute(scenario, traced, threads)

    warnings: list[str] = []
    with started(jobs) as threads, progress_bar(progress, scenario.name) as on_progress:
        executor = MemoryExecutor(carry_out, Listener(on_progress, threads.passed))
        try:
            plan = execute_plan(scenario, executor, point=point)
            tasks, complete, warnings = plan.tasks, plan.whole, plan.warnings
            interrupted = False
        except KeyboardInterrupt:
            done = filter(is_wanted, executor.done)
            tasks, complete = sorted(done, key=lambda task: (task.point, task.replica)), False
            interrupted = True
    outcomes = [Outcome(task, executor.tables(task)) for task in tasks]
    return Outcomes(scenario, outcomes, complete, warnings, interrupted=interrupted)
