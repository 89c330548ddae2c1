"""Runs in worker processes: those whose disciplines or controllers are Python code.

Such a run keeps the interpreter's lock from beginning to end, so threads would take turns. Each
worker reads the scenario itself; its classes are sent along, so that what runs there is what would
run here.
"""

from __future__ import annotations

import linecache
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from types import FunctionType
from typing import Any

from sojourn._core import Cancel, ScenarioError
from sojourn.errors.brief import InputError
from sojourn.own import aside, outside
from sojourn.own.hooks import HookWarning
from sojourn.own.modules import MAIN, Source
from sojourn.scenario import Scenario
from sojourn.workers.tasks import Pack, Task

LOOK_INTERVAL_S = 0.2
"""How often the waiting process looks up, so that Ctrl-C is heard in time; and a worker, for it."""

Trace = tuple[str, Path, list[str], bool]
"""A trace's format, how the paths of its files begin, the links that captures show, and whether
they store payload."""

KILLED = (
    "a worker process was killed, for want of memory perhaps; allowed: fewer runs at once (--jobs)"
)
"""What is told of a worker that was ended from outside."""

_scenario: Scenario | None = None
"""The scenario of a worker."""

_watch = Cancel()
"""Sees how far the runs of a worker are."""

_changed: list[str] = []
"""Files that a worker found changed."""


def in_processes(
    scenario: Scenario,
    tasks: Sequence[tuple[Task, Trace | None]],
    jobs: int,
    pack: Pack,
    tell: Callable[[float], None] = lambda _: None,
) -> Generator[Sequence[tuple[Task, Any]], None, None]:
    """Carry out all tasks, ``jobs`` at once; yield what ``pack`` makes of them, at times none.

    ``tell`` is told at times how many have been carried out, those under way in part.
    Where this ends early the workers are ended with it. Raises OSError where the system ended one.
    """
    # Starts workers that neither copy this process nor run its main module again.
    from loky import BrokenProcessPool, ProcessPoolExecutor
    from loky.backend import get_context

    context = get_context("loky")
    touch = context.SimpleQueue()
    permille: dict[int, int] = {}
    pool = ProcessPoolExecutor(
        max_workers=min(jobs, len(tasks)),
        context=context,
        initializer=_begin,
        initargs=(_Front(os.getpid(), sys.path, _lines(scenario), touch), _packed(scenario)),
    )
    running: dict[Future[Any], Task] = {}
    # Not ``wait``: it holds the locks of all runs for a moment at each look, and were Ctrl-C heard
    # then, they would stay locked and the workers with them.
    finished: SimpleQueue[Future[Any]] = SimpleQueue()
    finished_all = False
    try:
        with _deaf_children():
            for task, trace in tasks:
                run = pool.submit(_work, task, trace, pack)
                running[run] = task
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
            if isinstance(run.exception(), BrokenProcessPool):
                raise ChildProcessError(KILLED)
            yield [(running.pop(run), run.result())]
        finished_all = True
    finally:
        pool.shutdown(wait=True, kill_workers=not finished_all)


@contextmanager
def _deaf_children() -> Iterator[None]:
    """Processes that start here never hear Ctrl-C: the one in front ends them.

    It reaches all processes of a terminal, and a worker that still imports what it needs would
    print a traceback. Here it is heard when all have started.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    import multiprocessing.resource_tracker

    import loky.backend.resource_tracker

    # Those that look after what workers share: to start one lifts the block.
    multiprocessing.resource_tracker.ensure_running()
    loky.backend.resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _lines(scenario: Scenario) -> dict[str, list[str]]:
    """The source of its classes by file, for tracebacks: that of a notebook is in no file."""
    classes = outside.classes(scenario.outside, scenario.folder).values()
    members = (value for cls in classes for value in vars(cls).values())
    codes = (value.__code__ for value in members if isinstance(value, FunctionType))
    return {file: linecache.getlines(file) for file in {code.co_filename for code in codes}}


@dataclass(frozen=True)
class _Front:
    """The process in front, to its workers."""

    pid: int
    path: list[str]
    lines: dict[str, list[str]]
    touch: Any
    """A queue: how far the runs of which worker are."""
    keeps_output: bool = field(default_factory=aside.keeps_output)


@dataclass(frozen=True)
class _Parcel:
    """A scenario on its way to a worker."""

    text: str
    place: str
    folder: Path
    overrides: list[tuple[str, str]]
    classes: dict[str, type]
    files: dict[str, bytes]
    sources: tuple[Source, ...]


def _packed(scenario: Scenario) -> bytes:
    """The scenario with its classes, as they are here.

    Where they hold something that does not travel a worker imports them, as well as it can. Raises
    :class:`InputError` for one that it cannot import.
    """
    import cloudpickle

    classes = outside.classes(scenario.outside, scenario.folder)
    parts = (scenario.text, scenario.place, scenario.folder.resolve(), scenario.overrides)
    parcel = _Parcel(*parts, classes, scenario.files, ())
    if not classes:
        return cloudpickle.dumps(parcel)
    names = {cls.__module__ for cls in classes.values()}
    names |= {one.module for one in scenario.sources}
    modules = [sys.modules[name] for name in names - {MAIN} if name in sys.modules]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        return cloudpickle.dumps(parcel)
    # Whatever a value raises that cannot be copied.
    except Exception:
        found = {name: cls for name, cls in classes.items() if not outside.is_importable(cls)}
        by_name = replace(parcel, classes=found, sources=scenario.sources)
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
    try:
        return cloudpickle.dumps(by_name)
    except Exception as error:
        raise InputError(
            f"{', '.join(found)}: found a value that cannot go to a worker process: {error}; "
            "allowed: to make it in reset(self), to write the class in a module, or jobs=1"
        ) from None


def _begin(front: _Front, parcel: bytes) -> None:
    """Prepare a worker; what classes print there goes to stderr if the one in front keeps it."""
    import cloudpickle

    # Where signals cannot be blocked before a process starts.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_stay_in_touch, args=(front,), daemon=True).start()
    # The process in front has told of them.
    warnings.simplefilter("ignore", HookWarning)
    if front.keeps_output:
        sys.stdout = sys.stderr
    sys.path[:] = front.path
    for file, text in front.lines.items():
        linecache.cache[file] = (sum(map(len, text)), None, text, file)
    global _scenario, _changed
    given: _Parcel = cloudpickle.loads(parcel)
    outside.know(given.classes)
    _scenario = Scenario(given.text, given.place, given.folder, given.overrides)
    _changed = _what_changed(given, _scenario)


def _stay_in_touch(front: _Front) -> None:
    """Tell the process in front how far the runs of this worker are.

    End it where that was killed: nobody takes its run any more. That may have been before this
    worker began.
    """
    while os.getppid() == front.pid:
        front.touch.put((os.getpid(), _watch.permille))
        time.sleep(LOOK_INTERVAL_S)
    os._exit(1)


def _what_changed(given: _Parcel, found: Scenario) -> list[str]:
    """The files that are not what they were when the scenario was read."""
    files = [name for name, content in given.files.items() if found.files.get(name) != content]
    contents = {one.content for one in found.sources}
    return files + [one.name for one in given.sources if one.content not in contents]


def _work(task: Task, trace: Trace | None, pack: Pack) -> Any:
    """Carry out one run in a worker."""
    assert _scenario is not None
    if _changed:
        told = "has changed since the scenario was read; allowed: run it again"
        raise ScenarioError(f"{_scenario.place}: {_changed[0]} {told}")
    run = _scenario.core.run
    tables = run(task.point, task.replica, _watch, trace, warmup=task.warmup, series=task.series)
    return pack(tables)
