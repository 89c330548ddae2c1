"""Executors carry runs out and keep their tables: in memory here, `store_executor` in a store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Protocol

from sojourn._core import Tables
from sojourn.workers.listener import SILENT, Listener
from sojourn.workers.tasks import Finished, Task


class Executor(Protocol):
    """Carries runs out, and has their tables afterwards."""

    def execute(self, tasks: Sequence[Task]) -> None:
        """Carry out those that have not been carried out yet."""
        ...

    def tables(self, task: Task) -> Tables:
        """The tables of a run that was carried out."""
        ...


class MemoryExecutor:
    """Keeps the tables of all runs in memory."""

    def __init__(
        self,
        carry_out: Callable[[Sequence[Task]], Finished],
        listener: Listener = SILENT,
    ) -> None:
        """Carry runs out with ``carry_out``, which returns their tables."""
        self.done: dict[Task, Tables] = {}
        self._carry_out = carry_out
        self._listener = listener

    def execute(self, tasks: Sequence[Task]) -> None:
        """Carry out those that have not been; if interrupted, finished runs are kept."""
        missing = [task for task in tasks if task not in self.done]
        total = len(self.done) + len(missing)
        with closing(self._carry_out(missing)) as finished:
            for batch in finished:
                for task, tables in batch:
                    self.done[task] = tables
                    self._listener.finished(len(self.done), total)
                if not batch:
                    self._listener.under_way(len(self.done), total)

    def tables(self, task: Task) -> Tables:
        """The tables of a run that was carried out."""
        return self.done[task]
