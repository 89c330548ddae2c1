"""The tables of a sweep, made for a chunk of points as soon as all of its runs are finished.

Making tables and a summary takes as long as a good part of a short run. So the threads that carry
out the runs do this too, between the runs: then no core waits at the end for one that does it all.
The results are the same.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.experiments.procedure import Plan
from sojourn.experiments.store_executor import StoreExecutor
from sojourn.experiments.summary_file import SummaryFile, whole_summary
from sojourn.scenario import Scenario
from sojourn.stats.alike import alike
from sojourn.summary import summarised_points
from sojourn.tables import ENTITIES, stacked
from sojourn.workers.tasks import Outcome, Task
from sojourn.workers.threads import Threads

if TYPE_CHECKING:
    import polars as pl

    from sojourn.results import Results

RUNS = 64
"""Runs of a chunk, roughly: small frames cost more per run, large ones come late."""


@dataclass(frozen=True)
class Chunk:
    """The results of a chunk: the frames, the summary of each point, and which points are alike."""

    frames: dict[str, pl.DataFrame]
    summaries: list[bytes]
    alike: set[int]

    @property
    def metrics(self) -> list[list[str]] | None:
        """The columns of each table from which the summaries are made; None if there is no run."""
        if not len(self.frames["links"]):
            return None
        return [self.frames[name].columns for name in ENTITIES]


class PartialTables:
    """Begins each chunk when its runs are finished, and joins all chunks in the end."""

    def __init__(
        self,
        scenario: Scenario,
        executor: StoreExecutor,
        threads: Threads,
        expected: Sequence[Task] | None,
        summary: SummaryFile,
    ) -> None:
        """``expected`` are all runs that there will be, in order; None if runs decide on further
        runs.

        The summaries of points go to ``summary``.
        """
        self._scenario = scenario
        self._executor = executor
        self._threads = threads
        self._vary = scenario.vary
        points = max(1, RUNS // scenario.replicas)
        count = len(self._vary)
        self._chunks = [range(n, min(n + points, count)) for n in range(0, count, points)]
        self._begun = 0
        self._in_work: deque[Future[Chunk]] = deque()
        self._frames: list[dict[str, pl.DataFrame]] = []
        self._summary = summary
        self._alike: set[int] = set()
        self._metrics: list[list[list[str]]] = []
        self._expected = None if expected is None else self._by_chunk(expected)
        executor.on_finished(self.advance)
        # Where runs decide on others, this thread imports much of the same to decide it.
        if expected is not None:
            threads.import_beside(_import_frames)

    def advance(self) -> None:
        """Begin the chunks whose runs are finished, and take those that are done."""
        while self._expected is not None and self._begun < len(self._expected):
            tasks = self._expected[self._begun]
            # The last is the one that is finished last, nearly always.
            if not all(map(self._executor.holds, reversed(tasks))):
                break
            self._begin(tasks)
        # One that went wrong says so when all runs are finished.
        while self._in_work and self._in_work[0].done() and not self._in_work[0].exception():
            self._take()

    def results(self, plan: Plan) -> Results:
        """The frames of all runs of a plan that are finished."""
        self._threads.imported()
        from sojourn.frames import joined
        from sojourn.results import of_frames

        tasks = [task for task in plan.tasks if self._executor.holds(task)]
        for of_chunk in self._by_chunk(tasks)[self._begun :]:
            self._begin(of_chunk)
        while self._in_work:
            self._take()
        return of_frames(
            self._scenario,
            tasks,
            joined(self._frames),
            self._alike,
            complete=plan.whole and len(tasks) == len(plan.tasks),
            warnings=plan.warnings,
        )

    def summary(self, results: Results, folder: Path) -> SummaryFile:
        """The whole summary of the results; it has yet to be put in its place."""
        # All points have the metrics that any point has, undefined or not; and which runs a merge
        # lacks is known for certain only now.
        if len(self._metrics) > 1 or self._summary.head["complete"] != results.complete:
            self._summary.discard()
            return whole_summary(folder, results.summarised())
        self._summary.force()
        return self._summary

    def _by_chunk(self, tasks: Sequence[Task]) -> list[list[Task]]:
        by_point: list[list[Task]] = [[] for _ in self._vary]
        for task in tasks:
            by_point[task.point].append(task)
        return [[task for n in points for task in by_point[n]] for points in self._chunks]

    def _begin(self, tasks: Sequence[Task]) -> None:
        points = self._chunks[self._begun]
        self._begun += 1
        self._in_work.append(self._threads.beside(lambda: self._make(points, tasks)))

    def _take(self) -> None:
        """Take the next chunk when it is done."""
        chunk = self._in_work.popleft().result()
        if chunk.metrics is not None and chunk.metrics not in self._metrics:
            self._metrics.append(chunk.metrics)
        self._summary.put(chunk.summaries)
        self._alike |= chunk.alike
        self._frames.append(chunk.frames)

    def _make(self, points: range, tasks: Sequence[Task]) -> Chunk:
        from sojourn.frames import part

        outcomes = [Outcome(task, self._executor.tables(task)) for task in tasks]
        tables = stacked(outcomes)
        same = alike((tables["links"], tables["flows"]))
        vary = [(point, self._vary[point]) for point in points]
        summaries = list(summarised_points(vary, tables, "student", same))
        return Chunk(part(self._scenario, outcomes, tables), summaries, same)


def _import_frames() -> None:
    """Import what makes frames, beside the first runs: this takes longer than many a run."""
    import sojourn.results  # noqa: F401
