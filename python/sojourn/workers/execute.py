"""Carrying runs out on this machine: how many at once, and in threads or in processes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from sojourn.errors.arguments import as_whole
from sojourn.own.stdout import redirected_to_stderr
from sojourn.scenario import Scenario
from sojourn.workers.located import located
from sojourn.workers.processes import TraceFiles, in_processes
from sojourn.workers.tasks import Finished, Pack, Task, unpacked
from sojourn.workers.threads import Threads


def available_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def runs_at_once(jobs: int | None) -> int:
    """Return how many runs are carried out at once: one for each core unless ``jobs`` says
    otherwise.

    Raises ValueError if there would be none.
    """
    if jobs is None:
        return available_cores()
    return as_whole("jobs", jobs, 1)


def execute(
    scenario: Scenario,
    tasks: Sequence[tuple[Task, TraceFiles | None]],
    threads: Threads,
    pack: Pack = unpacked,
) -> Finished:
    """Carry out runs on this machine; yield their tables as they finish.

    Threads carry them out. Runs of Python code go to as many processes of their own, unless there
    is only one worker or one such run; one after the other where this process is one of a
    ``multiprocessing.Pool``, which may start none. The results are the same. The thread or process
    that carries a run out also packs its tables, so that this work is shared too.
    """
    traces = dict(tasks)

    def work(task: Task) -> Any:
        with located(scenario, task), redirected_to_stderr():
            tables = scenario.core.run(
                task.point,
                task.replica,
                threads.cancel,
                traces[task],
                warmup=task.warmup,
                series=task.series,
            )
        return pack(tables)

    interpreted = {
        point for point in {task.point for task in traces} if scenario.is_interpreted(point)
    }
    held = {task: trace for task, trace in traces.items() if task.point in interpreted}
    if threads.jobs == 1 or len(held) == 1:
        held = {}
    free = [task for task in traces if task not in held]
    yield from threads.each(work, free)
    if not held:
        return
    # To start processes takes imports.
    threads.imported()
    if _may_start_none():
        for task in held:
            yield from threads.each(work, [task])
    else:
        tell = threads.count_elsewhere()
        yield from in_processes(scenario, list(held.items()), threads.jobs, pack, tell)
        tell(len(held))


def _may_start_none() -> bool:
    """Whether this process may start no others: a worker of ``multiprocessing.Pool`` may not."""
    # Takes its time to import, and most runs need none.
    from multiprocessing import current_process

    return current_process().daemon
