"""Sweeps: all runs of a scenario into a folder, resumed after whatever happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.errors.arguments import as_path, kind_error
from sojourn.errors.brief import brief
from sojourn.experiments.cluster import check_address, connected
from sojourn.experiments.copies import left_out, texts
from sojourn.experiments.folder import prepare, write
from sojourn.experiments.manifest import MANIFEST, STORE, FolderError, damaged, read_manifest
from sojourn.experiments.output_folder import at_work, writing
from sojourn.experiments.partial_tables import PartialTables
from sojourn.experiments.procedure import Plan, execute_plan, fixed_runs
from sojourn.experiments.share import WHOLE, Share
from sojourn.experiments.store_executor import StoreExecutor
from sojourn.experiments.summary_file import SummaryFile
from sojourn.lookup import prepared
from sojourn.progress import Progress, progress_bar
from sojourn.progress import check as check_progress
from sojourn.scenario import Overrides, Scenario
from sojourn.store import record
from sojourn.store.runs import Store
from sojourn.summary import head_of
from sojourn.workers.execute import execute, runs_at_once
from sojourn.workers.forks import check_process
from sojourn.workers.listener import Listener, Note
from sojourn.workers.tasks import Finished, Task
from sojourn.workers.threads import Threads, started

if TYPE_CHECKING:
    from sojourn.results import Results

CarryOut = Callable[[Sequence[Task]], Finished]
"""Carries runs out and gives their packed tables as they finish."""


@brief
def sweep(
    scenario: Scenario | str | Path,
    out: str | Path,
    *,
    replicas: int | None = None,
    seed: int | None = None,
    precision: str | None = None,
    overrides: Overrides = (),
    jobs: int | None = None,
    share: Share = WHOLE,
    cluster: str | None = None,
    progress: Progress = None,
    note: Note = lambda _: None,
) -> Results:
    """Run every point and replica of a scenario into the folder ``out``; return the frames.

    Runs that the folder already holds are not run again, whether they come from an earlier
    scenario or from a sweep that was killed. ``cluster`` is the address of a Dask scheduler;
    otherwise ``jobs`` runs are carried out at once on this machine. ``progress`` is called with the
    number of finished runs and of all, or ``"bar"`` shows a bar; ``note`` is called with what else
    a user should know, such as a warning of damage.

    Raises what :func:`sojourn.run` raises, and :class:`sojourn.ScenarioError` also if ``out`` holds
    a file that no experiment has written and that would be overwritten; OSError if the disk is
    full; KeyboardInterrupt after Ctrl-C. Finished runs are kept in every case.
    """
    check_process()
    jobs = runs_at_once(jobs)
    out = as_path("out", out)
    if not isinstance(share, Share):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("share", share, "a Share, such as Share(1, 4) for the first of four")
    if not (cluster is None or isinstance(cluster, str)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise kind_error("cluster", cluster, "the address of a scheduler, such as tcp://host:8786")
    if cluster is not None:
        check_address(cluster)
    check_progress(progress)
    scenario = prepared(scenario, overrides, replicas, seed, None, precision)
    prepare(out, scenario)
    for warning in left_out(out, scenario):
        note(f"warning: {warning}")
    for name, kind in scenario.untold.items():
        note(
            f"warning: {name}: none of its runs is used again: it uses a {kind}, and no two of "
            "these can be told apart"
        )
    with at_work(out, shared=not share.is_whole):
        store = Store(out / STORE)
        _name_damage(out, store, scenario, note)
        head = head_of(scenario, complete=share.is_whole)
        with (
            workers_for(scenario, jobs, cluster, note) as workers,
            SummaryFile(out, head) as summary,
        ):
            with progress_bar(progress, scenario.name) as on_progress:
                listener = Listener(on_progress, workers.threads.passed)
                executor = StoreExecutor(scenario, store, workers.carry_out, listener)
                expected = fixed_runs(scenario, share)
                partial = PartialTables(scenario, executor, workers.threads, expected, summary)
                plan = execute_plan(scenario, executor, share)
            if executor.found:
                computed = executor.computed
                note(f"{out}: {executor.found} runs were finished before, {computed} are new")
            return finish(out, partial, plan, store, share)


def finish(
    out: Path, partial: PartialTables, plan: Plan, store: Store, share: Share = WHOLE
) -> Results:
    """Write the tables of an experiment from its store; return the frames.

    Runs that the store does not hold are left out; then the experiment is not complete.
    """
    results = partial.results(plan)
    if share.is_whole:
        write(out, results, lambda: partial.summary(results, out))
        store.tidy()
        return results
    # Other parts may be done at the same time.
    with writing(out):
        write(out, results, lambda: partial.summary(results, out), share=str(share))
    return results


def _name_damage(out: Path, store: Store, scenario: Scenario, note: Note) -> None:
    """Say what is damaged; none of it is read, and all of it is made again."""
    for damage in store.damages:
        note(f"warning: {damage}; the runs stored there are run again")
    if not (out / MANIFEST).exists():
        return
    try:
        manifest = read_manifest(out)
        # Of a scenario that is run from here and was edited, its files are what they are to be.
        right = {name for name, text in texts(scenario).items() if _holds(out / name, text)}
        files = {name: told for name, told in manifest["files"].items() if name not in right}
        bad = damaged(out, manifest | {"files": files})
    except FolderError as error:
        note(f"warning: {error}; it is written again")
        return
    for what in bad:
        note(f"warning: {what}; it is written again")


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content


@dataclass(frozen=True)
class Workers:
    """Carries runs out, and has the threads for what else is to be done meanwhile."""

    carry_out: CarryOut
    threads: Threads


@contextmanager
def workers_for(
    scenario: Scenario, jobs: int | None, cluster: str | None, note: Note
) -> Iterator[Workers]:
    """Carry runs out in threads here, or on a Dask cluster and use one thread for the rest."""
    if cluster is not None:
        with started(1) as threads, connected(cluster, scenario, note) as carry_out_there:

            def handed_out(tasks: Sequence[Task], /) -> Finished:
                # What hands runs out imports as it goes.
                threads.imported()
                return carry_out_there(tasks)

            yield Workers(handed_out, threads)
        return
    with started(runs_at_once(jobs)) as threads:

        def carry_out(tasks: Sequence[Task], /) -> Finished:
            return execute(scenario, [(task, None) for task in tasks], threads, record.packed)

        yield Workers(carry_out, threads)
