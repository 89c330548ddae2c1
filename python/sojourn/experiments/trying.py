"""Trying points of a space: one store for all of them, whichever scenario they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path

from sojourn.experiments.manifest import STORE
from sojourn.experiments.output_folder import at_work
from sojourn.experiments.procedure import execute_plan
from sojourn.experiments.quantity import Quantity
from sojourn.experiments.store_executor import StoreExecutor
from sojourn.experiments.sweep import workers_for
from sojourn.scenario import Scenario
from sojourn.stats.alike import alike
from sojourn.store.runs import Store
from sojourn.tables import stacked
from sojourn.workers.listener import Listener, Note, OnProgress
from sojourn.workers.tasks import Outcome


@dataclass
class Samples:
    """By quantity: the values of each point, one for each replica.

    ``alike`` are the points at which all replicas are the same run, to the bit.
    """

    values: dict[str, list[list[float | None]]]
    alike: set[int] = field(default_factory=set)

    def __getitem__(self, quantity: str) -> list[list[float | None]]:
        """The values of a quantity."""
        return self.values[quantity]


@dataclass
class Evaluator:
    """Runs scenarios and gives their quantities; no run is carried out twice."""

    store: Store
    jobs: int | None
    cluster: str | None
    progress: OnProgress | None
    note: Note

    def values(self, scenario: Scenario, quantities: Sequence[str]) -> Samples:
        """Run all points of a scenario; return its quantities.

        Raises :class:`sojourn.ScenarioError` where the scenario has no such quantity.
        """
        wanted = [Quantity.of(scenario, text) for text in quantities]
        with workers_for(scenario, self.jobs, self.cluster, self.note) as workers:
            listener = Listener(self.progress, workers.threads.passed)
            executor = StoreExecutor(scenario, self.store, workers.carry_out, listener)
            plan = execute_plan(scenario, executor)
        points = range(scenario.core.points)
        samples = Samples({str(quantity): [[] for _ in points] for quantity in wanted})
        # Point by point: the tables of all runs together may not fit the memory.
        for point, tasks in groupby(plan.tasks, key=lambda task: task.point):
            outcomes = [Outcome(task, executor.tables(task)) for task in tasks]
            for quantity in wanted:
                samples[str(quantity)][point] = [quantity.value(each.tables) for each in outcomes]
            tables = stacked(outcomes)
            samples.alike |= alike((tables["links"], tables["flows"]))
        return samples


@contextmanager
def trying(
    out: Path,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    progress: OnProgress | None = None,
    note: Note = lambda _: None,
) -> Iterator[Evaluator]:
    """Open the folder ``out`` for trials. Raises OSError if another command is working there."""
    with at_work(out):
        store = Store(out / STORE)
        for damage in store.damages:
            note(f"warning: {damage}; the runs stored there are run again")
        yield Evaluator(store, jobs, cluster, progress, note)
        store.tidy()
