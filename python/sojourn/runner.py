"""Running scenarios: all points and replicas, on all cores."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sojourn._core import ScenarioError
from sojourn.errors.arguments import as_path, as_whole, kind_error
from sojourn.errors.brief import InputError, brief
from sojourn.errors.nearest import refusal
from sojourn.experiments.bench import Finished, MemoryBench
from sojourn.experiments.listener import Listener
from sojourn.experiments.procedure import conduct
from sojourn.outcomes import Outcomes
from sojourn.own.stdout import redirected_to_stderr
from sojourn.progress import Progress, shown
from sojourn.scenario import Overrides, Scenario, as_pairs
from sojourn.workers.forks import check_process
from sojourn.workers.processes import Trace, in_processes
from sojourn.workers.tasks import Outcome, Pack, Task, unpacked
from sojourn.workers.threads import Threads, started

if TYPE_CHECKING:
    from sojourn.results import Results


@brief
def run(
    scenario: Scenario | str | Path,
    *,
    replicas: int | None = None,
    seed: int | None = None,
    precision: str | None = None,
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
    narrow) and ``series_interval`` (such as ``"100 ms"``) override the file. ``jobs`` runs are
    carried out at once, by default one per core; the results do not depend on it. Ctrl-C ends the
    runs in progress and returns what is finished, with ``complete`` false. ``progress`` is called
    with the number of finished runs and of all; ``"bar"`` shows a bar, as notebooks do by default.

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
    traces = None
    if trace_folder is not None:
        folder = as_path("trace_folder", trace_folder)
        traces = Traces(folder, trace_format, trace_links, trace_payload)
        traces.check_arguments()
    return of_outcomes(outcomes_of(scenario, jobs, progress, traces))


FORMATS = ("ns2", "pcapng", "events")
"""Those of traces."""


@dataclass(frozen=True)
class Traces:
    """Which traces of all runs go where: ``trace_...`` of :func:`run`."""

    folder: Path
    format: str
    links: Sequence[str]
    payload: bool

    def check_arguments(self) -> None:
        """Look at what :func:`run` was given, under its names."""
        if self.format not in FORMATS:
            raise InputError(f"trace_format: {refusal(str(self.format), FORMATS)}")
        links = self.links
        if isinstance(links, str) or not isinstance(links, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("trace_links", links, "a list of names of links")
        if not isinstance(self.payload, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("trace_payload", self.payload, "true or false")

    def check(self, scenario: Scenario) -> None:
        """Raise :class:`sojourn.ScenarioError` for a link that is not there."""
        scenario.core.check_captured(list(self.links))

    def of(self, scenario: Scenario, task: Task) -> Trace | None:
        """The trace of one run, if it has one."""
        if task.is_pilot:
            return None
        stem = self.folder / _trace_name(scenario, task)
        return self.format, stem, list(self.links), self.payload


def outcomes_of(
    scenario: Scenario, jobs: int | None, progress: Progress, traces: Traces | None
) -> Outcomes:
    """Carry out all runs of a scenario as :func:`run` does, and make no frames of them."""
    jobs = runs_at_once(jobs)
    if traces is not None:
        traces.check(scenario)
        traces.folder.mkdir(parents=True, exist_ok=True)

    def carry_out(tasks: Sequence[Task]) -> Finished:
        traced = [(task, traces.of(scenario, task) if traces else None) for task in tasks]
        return carried_out(scenario, traced, threads)

    warnings: list[str] = []
    with started(jobs) as threads, shown(progress, scenario.name) as told:
        bench = MemoryBench(carry_out, Listener(told, threads.passed))
        try:
            plan = conduct(scenario, bench)
            tasks, complete, warnings = plan.tasks, True, plan.warnings
        except KeyboardInterrupt:
            done = [task for task in bench.done if not task.is_pilot]
            tasks, complete = sorted(done, key=lambda task: (task.point, task.replica)), False
    outcomes = [Outcome(task, bench.tables(task)) for task in tasks]
    return Outcomes(scenario, outcomes, complete, warnings)


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def runs_at_once(jobs: int | None) -> int:
    """Return how many runs go at once: as many as there are cores unless ``jobs`` says otherwise.

    Raises ValueError where there would be none.
    """
    if jobs is None:
        return available_cores()
    return as_whole("jobs", jobs, 1)


def prepared(
    scenario: Scenario | str | Path,
    overrides: Overrides = (),
    replicas: int | None = None,
    seed: int | None = None,
    series_interval: str | None = None,
    precision: str | None = None,
) -> Scenario:
    """Return the scenario with what was set from outside; it is read once."""
    further: dict[str, object] = {}
    if replicas is not None:
        further["replicas"] = replicas
    if seed is not None:
        further["seed"] = seed
    if series_interval is not None:
        further["series"] = series_interval
    if precision is not None:
        further["precision"] = precision
    pairs = [*as_pairs(overrides), *as_pairs(further)]
    try:
        if not isinstance(scenario, Scenario):
            return find(scenario, pairs)
        return scenario.with_overrides(pairs) if pairs else scenario.current()
    except ScenarioError as error:
        raise ScenarioError(_under_arguments(str(error), further)) from None


ARGUMENTS = {"series": "series_interval"}
"""Keys of a scenario that arguments have other names for."""


def _under_arguments(message: str, given: Collection[str]) -> str:
    """An error about a key that an argument has set, under the argument: nobody set the key."""
    key = message.partition(": overrides: ")[2].partition(":")[0]
    if key not in given:
        return message
    return message.replace(f": overrides: {key}:", f": {ARGUMENTS.get(key, key)}:", 1)


def find(name: str | Path, overrides: Overrides = ()) -> Scenario:
    """Load a scenario file, or a scenario of a study by its name: STUDY, or STUDY/PART."""
    place = as_path("scenario", name)
    if "\n" in str(name):
        allowed = "a path or the name of a study; a text is read by sj.Scenario.from_toml"
        raise InputError(f"scenario: found a text of several lines; allowed: {allowed}")
    if place.suffix or place.exists():
        return Scenario.load(place, overrides)
    from sojourn import studies

    study = str(name).partition("/")[0]
    if study not in studies.names():
        what = refusal(study, studies.names())
        raise ScenarioError(f"{name}: there is no such file and no such study: {what}")
    try:
        text = studies.scenario_text(str(name))
    except studies.StudyError as error:
        raise ScenarioError(f"{name}: {error}") from None
    return Scenario.from_toml(text, place=str(name), overrides=overrides)


def _trace_name(scenario: Scenario, task: Task) -> str:
    """Return how the names of a run's trace files begin."""
    parts = ["trace"]
    if scenario.core.points > 1:
        parts.append(f"point{task.point}")
    if scenario.replicas > 1 or scenario.core.precision is not None:
        parts.append(f"replica{task.replica}")
    return "-".join(parts)


def carried_out(
    scenario: Scenario,
    tasks: Sequence[tuple[Task, Trace | None]],
    threads: Threads,
    pack: Pack = unpacked,
) -> Finished:
    """Carry out runs on this machine; yield their tables as they finish.

    Threads carry them out; runs of Python code go to as many processes of their own, unless there
    is but one worker or one such run. The results are the same. Whoever carries a run out packs its
    tables, so that several workers share this too.
    """
    traces = dict(tasks)

    def work(task: Task) -> Any:
        with redirected_to_stderr():
            tables = scenario.core.run(
                task.point,
                task.replica,
                threads.cancel,
                traces[task],
                warmup=task.warmup,
                series=task.series,
            )
        return pack(tables)

    interpreted = {
        point for point in {task.point for task in traces} if scenario.is_interpreted(point)
    }
    held = {task: trace for task, trace in traces.items() if task.point in interpreted}
    if threads.jobs == 1 or len(held) == 1:
        held = {}
    free = [task for task in traces if task not in held]
    yield from threads.each(work, free)
    if held:
        # To start processes takes imports.
        threads.imported()
        before = threads.elsewhere

        def tell(passed: float) -> None:
            threads.elsewhere = before + passed

        yield from in_processes(scenario, list(held.items()), threads.jobs, pack, tell)
        threads.elsewhere = before + len(held)
