"""Merging: the parts of an experiment from several machines become one."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from sojourn._core import ENGINE
from sojourn.experiments.cases import compared_points
from sojourn.experiments.copies import RESULTS, files_read, scenario_of
from sojourn.experiments.folder import prepare
from sojourn.experiments.manifest import STORE, FolderError, damaged, read_manifest
from sojourn.experiments.output_folder import at_work
from sojourn.experiments.partial_tables import PartialTables
from sojourn.experiments.procedure import Plan, execute_plan, fixed_runs, in_order
from sojourn.experiments.share import Share
from sojourn.experiments.store_executor import StoreExecutor
from sojourn.experiments.summary_file import SummaryFile
from sojourn.experiments.sweep import finish
from sojourn.results import Results
from sojourn.scenario import Scenario
from sojourn.store.runs import Store
from sojourn.summary import head_of
from sojourn.workers.execute import available_cores
from sojourn.workers.listener import Note
from sojourn.workers.tasks import Finished, Task
from sojourn.workers.threads import started


class NothingFoundError(Exception):
    """The folders do not suffice for any table; ``missing`` runs are in none of them."""

    def __init__(self, missing: int) -> None:
        """Note how many are missing."""
        self.missing = missing


class _Missing(Exception):
    """Some runs are in none of the folders."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.tasks = tasks


def merge(parts: Sequence[Path], out: Path, *, note: Note = lambda _: None) -> tuple[Results, int]:
    """Merge the experiments in ``parts`` into ``out``; return the frames and the number of missing
    runs.

    Raises :class:`sojourn.experiments.manifest.FolderError` if a folder is no experiment, belongs
    to another scenario or engine, has read other files, has no store, or if a copy of what its runs
    have read is damaged; :class:`NothingFoundError` if there is no run that the tables could
    contain. Both are raised before anything is written.
    """
    scenario = _common_scenario(parts)
    prepare(out, scenario)
    with at_work(out):
        store = Store(out / STORE)
        for part in parts:
            if part.resolve() != out.resolve():
                _take(store, part, note)
        executor = StoreExecutor(scenario, store, _nobody)
        try:
            plan, missing = execute_plan(scenario, executor), 0
        except _Missing as error:
            plan, missing = _what_is_there(scenario, executor), len(error.tasks)
            if not any(map(executor.holds, plan.tasks)):
                # Empty tables would take the place of earlier results.
                raise NothingFoundError(missing) from None
        head = head_of(scenario, complete=not missing)
        with started(available_cores()) as threads, SummaryFile(out, head) as summary:
            partial = PartialTables(scenario, executor, threads, None, summary)
            return finish(out, partial, plan, store), missing


def _common_scenario(parts: Sequence[Path]) -> Scenario:
    first = parts[0]
    manifests = [read_manifest(part) for part in parts]
    for part, manifest in zip(parts, manifests, strict=True):
        if not (part / STORE).is_dir():
            what = f"found tables, as of sojourn run, but no {STORE}/ with the runs that are merged"
            raise FolderError(f"{part}: {what}; allowed: a folder of sojourn sweep")
        if manifest["engine"] != ENGINE:
            raise FolderError(
                f"{part}: it was run by sojourn {manifest['sojourn']}, engine "
                f"{manifest['engine'][:8]}; this is engine {ENGINE[:8]}"
            )
        copies = {n: told for n, told in manifest["files"].items() if n not in RESULTS}
        if bad := damaged(part, manifest | {"files": copies}):
            raise FolderError(f"{bad[0]}; run its shard again")
        if (part / "scenario.toml").read_bytes() != (first / "scenario.toml").read_bytes():
            raise FolderError(f"{part}: it is a part of another scenario than {first}")
        ours, others = files_read(manifests[0]), files_read(manifest)
        if names := sorted({name for name, _ in ours.items() ^ others.items()}):
            what = f"its scenario has read other files than that of {first}: {', '.join(names)}"
            raise FolderError(f"{part}: {what}; allowed: parts that have read the same")
    return scenario_of(first, manifests[0])


def _take(store: Store, part: Path, note: Note) -> None:
    """Copy the finished runs of a part."""
    try:
        damages = _copy(store, part)
    except FileNotFoundError:
        # A sweep that ended there meanwhile has made one journal of several.
        damages = _copy(store, part)
    for damage in damages:
        note(f"warning: {damage}; it is left out")


def _copy(store: Store, part: Path) -> list[str]:
    """Copy the runs that are not in ``store`` yet; return what is damaged."""
    source = Store(part / STORE)
    with store.journal() as journal:
        for key in source:
            if key not in store:
                journal.append([(key, source.payload(key))])
    return source.damages


def _what_is_there(scenario: Scenario, executor: StoreExecutor) -> Plan:
    """The runs that are there; if runs decide on others, only those of points that lack none."""
    fixed = fixed_runs(scenario)
    if fixed is not None:
        return Plan(fixed, whole=False)
    tasks: list[Task] = []
    warnings: list[str] = []
    groups = len(compared_points(scenario))
    for number in range(1, groups + 1):
        with suppress(_Missing):
            part = execute_plan(scenario, executor, Share(number, groups))
            tasks += part.tasks
            warnings += part.warnings
    return Plan(in_order(tasks), warnings, whole=False)


def _nobody(tasks: Sequence[Task]) -> Finished:
    """Carry nothing out: missing runs stay missing."""

    def none() -> Finished:
        raise _Missing(tasks)
        yield ()

    return none()
