"""Worker processes in which functions are called; they end with the process in front."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import Any

from sojourn._core import Cancel
from sojourn.signals import ENDINGS

LOOK_INTERVAL_S = 0.2
"""How often the waiting process wakes, to notice Ctrl-C in time; and a worker, to check on it."""

KILLED = (
    "a worker process was killed, for want of memory perhaps; allowed: fewer runs at once (--jobs)"
)
"""What the user is told about a worker that was ended from outside."""

Call = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""

watch = Cancel()
"""In a worker: passed to all of its runs, it sees how far they are."""


def called(
    calls: Sequence[Call],
    jobs: int,
    first: Call | None = None,
    tell: Callable[[float], None] = lambda _: None,
) -> Generator[Sequence[tuple[int, Any]], None, None]:
    """Do all calls, ``jobs`` at once, in workers that do ``first`` before; yield number and answer.

    From time to time it yields none. ``tell`` is told how many of the runs that workers
    :data:`watch` have been carried out, counting parts of those in progress. If this generator ends
    early, it ends the workers. If a call fails, finished calls are yielded before its error is
    raised; OSError if the system ended a worker.
    """
    if not calls:
        return
    # Starts workers that neither copy this process nor run its main module again.
    from loky import BrokenProcessPool, ProcessPoolExecutor
    from loky.backend import get_context

    context = get_context("loky")
    with _deaf_children():
        touch = context.SimpleQueue()
    permille: dict[int, int] = {}
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, len(calls)),
        context=context,
        initializer=_join,
        initargs=(os.getpid(), touch, first),
    )
    running: dict[Future[Any], int] = {}
    # Not ``wait``: it holds the locks of all runs for a moment at each look, and were Ctrl-C heard
    # then, they would stay locked and the workers with them.
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    finished_all = False
    try:
        with _deaf_children():
            for number, (function, given) in enumerate(calls):
                run = pool.submit(function, *given)
                running[run] = number
                run.add_done_callback(finished.put)
        while running:
            while not touch.empty():
                worker, passed = touch.get()
                permille[worker] = passed
            tell(sum(permille.values()) / 1000)
            try:
                run = finished.get(timeout=LOOK_INTERVAL_S)
            except Empty:
                yield []
                continue
            if (error := run.exception()) is not None:
                yield [(running[one], one.result()) for one in running if _has_answer(one)]
                raise ChildProcessError(KILLED) if isinstance(error, BrokenProcessPool) else error
            yield [(running.pop(run), run.result())]
        finished_all = True
    finally:
        pool.shutdown(wait=True, kill_workers=not finished_all)


def _has_answer(run: Future[Any]) -> bool:
    return run.done() and run.exception() is None


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Make processes that start here ignore Ctrl-C and the like: the process in front ends them.

    Ctrl-C reaches all processes of a terminal, and a worker that is still importing would print a
    traceback. SIGTERM reaches all processes of a job, perhaps a worker before the process in front,
    and so does SIGHUP when a terminal is closed. These signals are handled here once all have
    started.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    import multiprocessing.resource_tracker

    import loky.backend.resource_tracker

    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
    try:
        # Those that look after what workers share: to start one lifts the block of some.
        multiprocessing.resource_tracker.ensure_running()
        loky.backend.resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _join(front: int, touch: Any, first: Call | None) -> None:
    """Prepare a worker of the process ``front``; do the ``first`` call there."""
    # Where signals cannot be blocked before a process starts.
    for one in ENDINGS:
        signal.signal(one, signal.SIG_IGN)
    threading.Thread(target=_end_alone, args=(front,), daemon=True).start()
    threading.Thread(target=_tell, args=(touch,), daemon=True).start()
    if first is not None:
        function, given = first
        function(*given)


def _end_alone(front: int) -> None:
    """End this worker if the process in front was killed: nobody will take its results any more.

    The process may have been killed before this worker began.
    """
    while os.getppid() == front:
        time.sleep(LOOK_INTERVAL_S)
    os._exit(1)


def _tell(touch: Any) -> None:
    """Tell the process in front how far the runs of this worker are, if it is listening."""
    told = 0
    while True:
        time.sleep(LOOK_INTERVAL_S)
        if (passed := watch.permille) != told:
            touch.put((os.getpid(), passed))
            told = passed
