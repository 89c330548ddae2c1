"""Threads that carry out runs: the core releases the interpreter's lock while it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

from sojourn._core import Cancel
from sojourn.processes import LOOK_INTERVAL_S
from sojourn.tasks import Task

SWITCH_INTERVAL_S = 0.0005
"""How long a thread that works in Python keeps one waiting whose run has ended. Python's own 5 ms
are longer than many a run."""

T = TypeVar("T")


class Threads:
    """So many threads, ``jobs``, for runs and for what is made of them.

    Runs look at ``cancel``. It is set where anything goes wrong, an interruption too; at the end
    of the context all threads have ended, so that nothing goes on behind the caller's back.
    """

    def __init__(self, jobs: int) -> None:
        """Prepare; the threads begin with the first work."""
        self.jobs = jobs
        self.cancel = Cancel()
        self._pool = ThreadPoolExecutor(max_workers=jobs)
        self._switch_interval_s = sys.getswitchinterval()

    def __enter__(self) -> Self:
        """Let threads take turns more often."""
        self._switch_interval_s = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for all threads; where something went wrong, for nothing that has not begun."""
        if kind is not None:
            self.cancel.set()
        self._pool.shutdown(cancel_futures=kind is not None)
        sys.setswitchinterval(self._switch_interval_s)

    def beside(self, work: Callable[[], T]) -> Future[T]:
        """Do something else as soon as a thread is free, between the runs."""
        return self._pool.submit(work)

    def each(
        self, work: Callable[[Task], T], tasks: Sequence[Task]
    ) -> Generator[Sequence[tuple[Task, T]], None, None]:
        """Do ``work`` on all tasks; yield them as they finish, at times none."""

        def done(task: Task) -> tuple[Task, T]:
            return task, work(task)

        waiting = iter(tasks)
        running = 0
        finished: SimpleQueue[Future[tuple[Task, T]]] = SimpleQueue()
        with self._cancelled_when_broken():
            while True:
                # Never many of them handed out: those could not be taken back.
                while running < 2 * self.jobs and (task := next(waiting, None)) is not None:
                    self._pool.submit(done, task).add_done_callback(finished.put)
                    running += 1
                if not running:
                    return
                try:
                    batch = [finished.get(timeout=LOOK_INTERVAL_S).result()]
                except Empty:
                    batch = []
                running -= len(batch)
                yield batch

    @contextmanager
    def _cancelled_when_broken(self) -> Generator[None]:
        """End the runs in progress where anything goes wrong, an interruption too."""
        try:
            yield
        except BaseException:
            self.cancel.set()
            raise
