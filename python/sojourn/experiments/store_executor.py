"""An executor that keeps finished runs in a store.

A module of its own, since a run that is not kept need not wait for what the store imports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

from sojourn._core import Tables
from sojourn.scenario import Scenario
from sojourn.store.cache import Cache
from sojourn.store.identity import Keys
from sojourn.store.runs import Store
from sojourn.workers.listener import SILENT, Listener
from sojourn.workers.tasks import Finished, Task


class StoreExecutor:
    """Keeps finished runs in a store, and carries out only those that are not there."""

    def __init__(
        self,
        scenario: Scenario,
        store: Store,
        carry_out: Callable[[Sequence[Task]], Finished],
        listener: Listener = SILENT,
    ) -> None:
        """Carry runs out with ``carry_out``, which returns packed tables."""
        self.keys = Keys(scenario)
        self.found = 0
        self.computed = 0
        self._store = store
        self._carry_out = carry_out
        self._listener = listener
        self._calls: list[Callable[[], None]] = []
        self._cache = Cache()

    def on_finished(self, call: Callable[[], None]) -> None:
        """Call this after each run that is carried out from now on."""
        self._calls.append(call)

    def execute(self, tasks: Sequence[Task]) -> None:
        """Carry out what is not in the store; each run is in the store once it is handed over."""
        missing: dict[bytes, Task] = {}
        for task in tasks:
            key = self.keys.of(task)
            if key in self._store:
                self.found += 1
            else:
                missing.setdefault(key, task)
        if not missing:
            return
        total = self.computed + len(missing)
        with (
            self._store.journal() as journal,
            closing(self._carry_out(list(missing.values()))) as finished,
        ):
            for batch in finished:
                if batch:
                    journal.append([(self.keys.of(task), each.payload) for task, each in batch])
                for task, packed in batch:
                    self._cache.keep(task, packed)
                    self.computed += 1
                    for call in self._calls:
                        call()
                    self._listener.finished(self.computed, total)
                if not batch:
                    self._listener.under_way(self.computed, total)
                journal.commit_when_due()

    def tables(self, task: Task) -> Tables:
        """The tables of a run that was carried out, now or earlier."""
        tables = self._cache.take(task)
        if tables is None:
            tables = Tables.unpacked(self._store.payload(self.keys.of(task)))
        return tables

    def holds(self, task: Task) -> bool:
        """Whether a run is finished."""
        return self.keys.of(task) in self._store
