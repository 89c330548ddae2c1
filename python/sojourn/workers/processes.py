"""Runs in worker processes: those whose disciplines or controllers are Python code.

Such a run holds the interpreter's lock from beginning to end, so threads would take turns. Each
worker reads the scenario itself. The user's classes are sent along, so that a worker runs the same
code as this process would.
"""

from __future__ import annotations

import linecache
import sys
import warnings
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from types import FunctionType
from typing import Any, NamedTuple

from sojourn._core import ScenarioError
from sojourn.errors.brief import InputError
from sojourn.own import classes, modules, stdout
from sojourn.own.hooks import HookWarning
from sojourn.own.modules import MAIN, Source
from sojourn.scenario import Scenario
from sojourn.workers.located import located
from sojourn.workers.pool import Call, called, watch
from sojourn.workers.tasks import Pack, Task


class TraceFiles(NamedTuple):
    """The files of a run's trace: their format, and how their paths begin.

    Captures show ``links``, and store the payload or not. The core takes all this as a tuple.
    """

    format: str
    stem: Path
    links: list[str]
    payload: bool


_by_value = Lock()
"""Held while a scenario is packed: only one at a time tells cloudpickle what goes by value."""

_scenario: Scenario | None = None
"""The scenario of a worker."""

_changed: list[str] = []
"""Modules that a worker found to be changed."""


def in_processes(
    scenario: Scenario,
    tasks: Sequence[tuple[Task, TraceFiles | None]],
    jobs: int,
    pack: Pack,
    tell: Callable[[float], None] = lambda _: None,
) -> Generator[Sequence[tuple[Task, Any]], None, None]:
    """Carry out all tasks, ``jobs`` at once; yield what ``pack`` makes of them, from time to time
    none.

    ``tell`` is told how many have been carried out, counting parts of those in progress. This ends
    in the same ways as :func:`sojourn.workers.pool.called`.
    """
    path = [*sys.path, str(scenario.folder.resolve())]
    given = (path, scenario.sources, _packed(scenario), _lines(scenario), stdout.keeps_output())
    calls: list[Call] = [(_work, (task, trace, pack)) for task, trace in tasks]
    with closing(called(calls, jobs, (_begin, given), tell)) as finished:
        for done in finished:
            yield [(tasks[number][0], tables) for number, tables in done]


def _lines(scenario: Scenario) -> dict[str, list[str]]:
    """The source of its classes by file, for tracebacks: classes of a notebook are in no file."""
    used = classes.find_all(scenario.outside, scenario.folder).values()
    members = (value for cls in used for value in vars(cls).values())
    codes = (value.__code__ for value in members if isinstance(value, FunctionType))
    return {file: linecache.getlines(file) for file in {code.co_filename for code in codes}}


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

    If they hold something that cannot be sent, a worker imports them instead, if it can. Raises
    :class:`InputError` for a class that it cannot import.
    """
    import cloudpickle

    used = classes.find_all(scenario.outside, scenario.folder)
    parts = (scenario.text, scenario.place, scenario.folder.resolve(), scenario.overrides)
    parcel = _Parcel(*parts, used, scenario.files, ())
    if not used:
        return cloudpickle.dumps(parcel)
    names = {cls.__module__ for cls in used.values()}
    names |= {one.module for one in scenario.sources}
    # Which modules go by value is known to the whole process, and the user may have named some.
    with _by_value:
        names -= {MAIN, *cloudpickle.list_registry_pickle_by_value()}
        own = [sys.modules[name] for name in names if name in sys.modules]
        for module in own:
            cloudpickle.register_pickle_by_value(module)
        try:
            return cloudpickle.dumps(parcel)
        # Whatever a value raises that cannot be copied.
        except Exception:
            found = {name: cls for name, cls in used.items() if not classes.is_importable(cls)}
            by_name = replace(parcel, classes=found, sources=scenario.sources)
        finally:
            for module in own:
                cloudpickle.unregister_pickle_by_value(module)
    try:
        return cloudpickle.dumps(by_name)
    except Exception as error:
        raise InputError(
            f"{', '.join(found)}: found a value that cannot go to a worker process: {error}; "
            "allowed: to make it in reset(self), to write the class in a module, or jobs=1"
        ) from None


def _begin(
    path: list[str],
    sources: Sequence[Source],
    parcel: bytes,
    lines: dict[str, list[str]],
    keeps: bool,
) -> None:
    """Prepare a worker for runs; what classes print there goes to stderr if ``keeps``."""
    import cloudpickle

    # The process in front has told of them.
    warnings.simplefilter("ignore", HookWarning)
    if keeps:
        sys.stdout = sys.stderr
    sys.path[:] = path
    # What the classes import when they are called is what it would be in the process in front.
    modules.expect(sources)
    for file, text in lines.items():
        linecache.cache[file] = (sum(map(len, text)), None, text, file)
    global _scenario, _changed
    given: _Parcel = cloudpickle.loads(parcel)
    classes.register(given.classes)
    _scenario = Scenario(given.text, given.place, given.folder, given.overrides, given.files)
    contents = {one.content for one in _scenario.sources}
    _changed = [one.name for one in given.sources if one.content not in contents]


def _work(task: Task, trace: TraceFiles | None, pack: Pack) -> Any:
    """Carry out one run in a worker."""
    assert _scenario is not None
    if _changed:
        what = "has changed since the scenario was read; allowed: run it again"
        raise ScenarioError(f"{_scenario.place}: {_changed[0]} {what}")
    run = _scenario.core.run
    with located(_scenario, task):
        tables = run(task.point, task.replica, watch, trace, warmup=task.warmup, series=task.series)
    return pack(tables)
