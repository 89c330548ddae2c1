"""Threads that carry out runs: the core releases the interpreter's lock while it runs."""

from __future__ import annotations

import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue
from threading import Condition, Event, Lock
from typing import TypeVar

from sojourn._core import Cancel
from sojourn.own import stdout
from sojourn.workers.endable import Endable, all_end
from sojourn.workers.pool import LOOK_INTERVAL_S
from sojourn.workers.tasks import Task

SWITCH_INTERVAL_S = 0.0005
"""How long a thread that runs Python code keeps a thread waiting whose run has ended. Python's own
5 ms are longer than many a run."""

TURN_S = 0.02
"""How long a thread works on one task after another before it hands over what is done. To wake the
receiver after each task would cost as much as a good part of a short run."""

T = TypeVar("T")

Turn = tuple[list[tuple[Task, T]], BaseException | None]
"""What was done in a turn, and the error that ended it, if any."""


def hear_interrupts() -> None:
    """Make Ctrl-C end a wait for a thread: once polars is imported, it would not."""
    if hasattr(signal, "siginterrupt"):
        signal.siginterrupt(signal.SIGINT, True)


class ShortTurns:
    """Lets threads take turns more often than usual while anybody is inside.

    The interval belongs to the whole process, and runs may be started in several threads at once.
    So the first to leave must not reset it while others are inside, and the last must restore the
    usual one.
    """

    def __init__(self) -> None:
        """Begin with nobody inside."""
        self._lock = Lock()
        self._inside = 0
        self._usual_interval_s = 0.0

    def __enter__(self) -> None:
        """Enter."""
        with self._lock:
            if not self._inside:
                self._usual_interval_s = sys.getswitchinterval()
                sys.setswitchinterval(SWITCH_INTERVAL_S)
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        """Leave."""
        with self._lock:
            self._inside -= 1
            if not self._inside:
                sys.setswitchinterval(self._usual_interval_s)


short_turns = ShortTurns()


@contextmanager
def started(jobs: int) -> Generator[Threads]:
    """Start that many threads, which take turns more often than usual. At the end all have ended,
    but for those that nothing can end.

    After an error, work that has not begun is not done any more.
    """
    with short_turns:
        pool = ThreadPoolExecutor(max_workers=jobs)
        threads = Threads(jobs, pool)
        try:
            yield threads
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        finally:
            pool.shutdown(wait=threads.wait())


def attended(work: Callable[[], T], cancel: Cancel, look: Callable[[], None]) -> T:
    """Do ``work`` in a thread of its own and ``look`` from time to time how far it is.

    The work has to check ``cancel``, which is set if this is left before the end.
    """
    finished: SimpleQueue[Future[T]] = SimpleQueue()
    calls, over = Endable(), Event()

    def do() -> T:
        try:
            return calls.call(work)
        finally:
            over.set()

    pool = ThreadPoolExecutor(max_workers=1)
    try:
        pool.submit(do).add_done_callback(finished.put)
        while True:
            try:
                done = finished.get(timeout=LOOK_INTERVAL_S)
            except Empty:
                look()
            else:
                return done.result()
    except BaseException:
        cancel.set()
        hear_interrupts()
        all_end(over.wait, calls)
        raise
    finally:
        pool.shutdown(wait=False)


class Threads:
    """Threads, ``jobs`` of them, for runs and for processing their results.

    Runs check ``cancel``: it is set when their caller takes no more of them, for whatever reason,
    so that no run goes on unnoticed.
    """

    def __init__(self, jobs: int, pool: ThreadPoolExecutor) -> None:
        """Use the threads of ``pool``; see :func:`started`."""
        self.jobs = jobs
        self.cancel = Cancel()
        self._elsewhere = 0.0
        self._pool = pool
        self._importing: Future[None] | None = None
        self._at_work = 0
        self._ended = Condition()
        self._calls = Endable()

    def wait(self) -> bool:
        """Wait for the runs in progress; return whether all have ended.

        Code of the user that does not come back is ended; what nothing can end is left behind. The
        pool does not know about a thread that was being started when Ctrl-C came. If it begins
        later, it finds ``cancel`` set and does nothing.
        """
        hear_interrupts()
        if self._have_ended(0):
            return True
        have_ended = all_end(self._have_ended, self._calls)
        stdout.take_back()
        return have_ended

    def _have_ended(self, patience_s: float) -> bool:
        with self._ended:
            return self._ended.wait_for(lambda: self._at_work == 0, patience_s)

    def passed(self) -> float:
        """How many runs have been carried out, here and elsewhere, counting parts."""
        return self.cancel.permille / 1000 + self._elsewhere

    def count_elsewhere(self) -> Callable[[float], None]:
        """Return a function to be told how many more are carried out elsewhere."""
        before = self._elsewhere

        def tell(passed: float) -> None:
            self._elsewhere = before + passed

        return tell

    def beside(self, work: Callable[[], T]) -> Future[T]:
        """Do something else as soon as a thread is free, between the runs."""
        return self._pool.submit(work)

    def import_beside(self, work: Callable[[], None]) -> None:
        """Import something as soon as a thread is free; :meth:`imported` waits for it."""
        self._importing = self.beside(work)

    def imported(self) -> None:
        """Wait for what is imported by :meth:`import_beside`, before the main thread imports it
        itself.

        If two threads import the same module, one waits for the other. Ctrl-C at that moment may
        leave the module locked, and whoever imports it next would wait forever.
        """
        if self._importing is not None:
            self._importing.result()

    def each(
        self, work: Callable[[Task], T], tasks: Sequence[Task]
    ) -> Generator[Sequence[tuple[Task, T]], None, None]:
        """Do ``work`` on all tasks; yield those that have finished, from time to time none.

        If one fails, the others end, and those that have finished are yielded before the error is
        raised.
        """
        waiting = deque(tasks)
        running = 0
        failure: BaseException | None = None
        finished: SimpleQueue[Future[Turn[T]]] = SimpleQueue()
        try:
            while True:
                # Never many turns handed out: what else is to be done waits for them.
                while self._goes_on(waiting) and running < 2 * self.jobs:
                    turn = self._pool.submit(self._turn, work, waiting)
                    turn.add_done_callback(finished.put)
                    running += 1
                if not running:
                    break
                try:
                    done, error = finished.get(timeout=LOOK_INTERVAL_S).result()
                except Empty:
                    yield []
                    continue
                running -= 1
                if error is not None and failure is None:
                    # The others end by it, with errors that tell nothing.
                    failure = error
                    self.cancel.set()
                yield done
            if failure is not None:
                raise failure
        except BaseException:
            self.cancel.set()
            raise

    def _goes_on(self, waiting: deque[Task]) -> bool:
        return bool(waiting) and not self.cancel.is_set()

    def _turn(self, work: Callable[[Task], T], waiting: deque[Task]) -> Turn[T]:
        """Do ``work`` on the next tasks until the turn is over; on at least one, if any."""
        done: list[tuple[Task, T]] = []
        end = time.monotonic() + TURN_S
        with self._ended:
            self._at_work += 1
        try:
            while self._goes_on(waiting):
                try:
                    task = waiting.popleft()
                except IndexError:
                    # Another thread took the last.
                    break
                done.append((task, self._calls.call(partial(work, task))))
                if time.monotonic() >= end:
                    break
        except BaseException as error:
            return done, error
        finally:
            with self._ended:
                self._at_work -= 1
                self._ended.notify_all()
        return done, None
