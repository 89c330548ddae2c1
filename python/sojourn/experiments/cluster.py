"""Runs on a Dask cluster: ``--cluster ADDRESS``.

Every run is one task, named by its key, so that the scheduler never does it twice, and does it
again elsewhere if its worker dies. Just enough runs are handed out that no worker has to wait.
Their packed tables come back to this process, which is the only one to write the store.

Each worker reads the scenario itself, and refuses a run if it cannot confirm its key, which means
that the worker has another version of sojourn, or other files. It ends a run that nobody wants any
more: the sweep was interrupted or killed, or has failed.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from sojourn._core import ENGINE, Cancel, Cancelled
from sojourn.errors.brief import InputError
from sojourn.own.modules import MAIN
from sojourn.scenario import Scenario
from sojourn.store import record
from sojourn.store.identity import Keys
from sojourn.store.record import Packed
from sojourn.workers.endable import Endable, all_end
from sojourn.workers.listener import Note
from sojourn.workers.located import located, put_before, where
from sojourn.workers.pool import LOOK_INTERVAL_S
from sojourn.workers.tasks import Finished, Task

AHEAD = 4
"""Runs handed out for each thread of the cluster: enough that none waits for us."""

PATIENCE_S = 30.0
"""How long to look for a scheduler, and for a first worker."""

WATCH_INTERVAL_S = 2.0
"""How often to check that there are still workers."""

GONE = "the scheduler has gone; finished runs are kept"


CANNOT_CONFIRM = (
    f"it cannot confirm what it is to run: it has engine {ENGINE[:8]}; install the same sojourn on "
    "all workers, and let them see the same files"
)
"""What a worker says that has another version, or other files."""


class ClusterError(Exception):
    """What is wrong with the cluster, and what to do."""


ADDRESS = re.compile(
    r"inproc://\S+|((tcp|tls|ws|wss)://)?(\[[^\s/\]]+\]|[^\s/:]+):\d+(/\S*)?", re.ASCII
)
"""The form of an address."""


def check_address(address: str) -> None:
    """Raise :class:`sojourn.errors.brief.InputError` if it is no address of a scheduler."""
    if not ADDRESS.fullmatch(address):
        allowed = "the address of a scheduler, such as tcp://host:8786"
        raise InputError(f'cluster: found "{address}"; allowed: {allowed}')


@dataclass(frozen=True)
class Source:
    """A scenario on its way to a worker."""

    text: str
    place: str
    folder: str
    overrides: tuple[tuple[str, str], ...]
    content: str
    """A hash of its files and modules: if a worker knows others, it reads the scenario again."""


@contextmanager
def _unlogged() -> Iterator[None]:
    """Suppress what a client logs about a scheduler that ends: we say it in a sentence.

    Tornado logs what ends while it is connecting, as by Ctrl-C.
    """
    names = ("distributed.batched", "distributed.client", "tornado.application")
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


@contextmanager
def connected(
    address: str, scenario: Scenario, note: Note
) -> Iterator[Callable[[Sequence[Task]], Finished]]:
    """Connect to a scheduler; carry runs out there.

    ``note`` is told when all workers have gone. Raises :class:`ClusterError`.
    """
    try:
        from distributed import CancelledError
        from distributed.comm.core import CommClosedError
    except ImportError:
        raise ClusterError(
            "Dask is not installed; install it with: pip install 'sojourn[cluster]'"
        ) from None
    for name, kind in scenario.untold.items():
        raise ClusterError(
            f"{name}: found a {kind} that it uses, which no worker can tell from others; allowed: "
            "values that can be copied"
        )
    for name in scenario.outside:
        if name.startswith(f"{MAIN}:"):
            raise ClusterError(
                f"{name}: found a class of the running program, which no worker can import; "
                "allowed: a class in a module of its own"
            )
    with _unlogged():
        client = _client_of(address)
        try:
            _see_workers(client, address)
            folder = str(scenario.folder.resolve())
            overrides = tuple(scenario.overrides)
            keys = Keys(scenario)
            content = keys.of_content()
            source = Source(scenario.text, scenario.place, folder, overrides, content)
            with client.as_current(), _watched(client, note):
                yield lambda tasks: _carry_out(
                    client, source, keys, tasks, partial(where, scenario)
                )
        except (CancelledError, CommClosedError):
            raise ClusterError(GONE) from None
        finally:
            client.close()


def _client_of(address: str) -> Any:
    """Connect to a scheduler. Raises :class:`ClusterError`."""
    from distributed import Client

    try:
        return Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(f"{address}: there is no Dask scheduler: {error}") from None
    except (TypeError, RuntimeError, ImportError) as error:
        # What a way to connect is missing: settings, or a library.
        fault = " ".join(str(error).split())
        settings = (
            "; allowed: with Dask's settings distributed.comm.tls.ca-file, "
            "distributed.comm.tls.client.cert and distributed.comm.tls.client.key"
        )
        needs = settings if address.startswith(("tls:", "wss:")) else ""
        raise ClusterError(f"{address}: cannot connect in this way: {fault}{needs}") from None


def _see_workers(client: Any, address: str) -> None:
    """Raise :class:`ClusterError` if there is no worker, or one that cannot import sojourn.

    A worker that receives something that it cannot import ends, and the run would wait forever for
    another.
    """
    try:
        client.wait_for_workers(1, timeout=PATIENCE_S)
    except TimeoutError:
        raise ClusterError(f"{address}: no worker joined within {PATIENCE_S:g} s") from None
    for who, run in (("the scheduler", client.run_on_scheduler), ("a worker", client.run)):
        try:
            run(exec, f"import {__name__}")
        except ImportError as error:
            raise ClusterError(
                f"{who} cannot import sojourn: {error}; install the same sojourn on the scheduler "
                "and on all workers"
            ) from None


@contextmanager
def _watched(client: Any, note: Note) -> Iterator[None]:
    """Tell ``note``, within this context, when all workers have gone.

    This is done beside the wait for runs, since Dask waits without end for runs whose workers have
    gone.
    """
    over = Event()

    def watch() -> None:
        had_workers = True
        # Where there is no scheduler any more those who wait for runs are told.
        with suppress(OSError):
            while not over.wait(WATCH_INTERVAL_S):
                has_workers = bool(client.nthreads())
                if had_workers and not has_workers:
                    note("warning: the cluster has no workers any more; runs wait for one to join")
                had_workers = has_workers

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(WATCH_INTERVAL_S)


def _carry_out(
    client: Any,
    source: Source,
    keys: Keys,
    tasks: Sequence[Task],
    in_words: Callable[[Task], str],
) -> Finished:
    """Hand runs out and take their tables; ``in_words`` says which run a task is."""
    from distributed import wait

    waiting = iter(tasks)
    running: dict[Any, Task] = {}
    try:
        while True:
            ahead = AHEAD * max(1, _threads(client))
            while len(running) < ahead and (task := next(waiting, None)) is not None:
                key = keys.of(task)
                # The scenario goes with each run: left with the workers, it could die with them.
                future = client.submit(run_here, source, task, key, key=f"sojourn-{key.hex()}")
                running[future] = task
            if not running:
                return
            with suppress(TimeoutError):
                wait(list(running), timeout=LOOK_INTERVAL_S, return_when="FIRST_COMPLETED")
            done = [future for future in running if future.done()]
            finished = [future for future in done if future.status == "finished"]
            packed = client.gather(finished)
            yield [(running.pop(f), each) for f, each in zip(finished, packed, strict=True)]
            # Those that failed raise their errors, when all others are in safety.
            for future in done:
                if future in running:
                    _raise(client, future, in_words(running[future]))
    finally:
        client.cancel(list(running))


def _threads(client: Any) -> int:
    """How many threads the workers have. Raises :class:`ClusterError` if no scheduler tells."""
    try:
        return sum(client.nthreads().values())
    except OSError:
        raise ClusterError(GONE) from None


def _raise(client: Any, future: Any, place: str) -> None:
    """Raise the error of a run that has failed; ``place`` is the run in words."""
    from distributed.scheduler import KilledWorker

    try:
        client.gather([future])
    except KilledWorker as error:
        died = ClusterError(f"several workers died over the same run: {error}")
        put_before(place, died)
        raise died from None


def run_here(source: Source, task: Task, key: bytes) -> Packed:
    """Carry out one run on a worker; return its packed tables."""
    from distributed import Reschedule, get_worker

    worker = get_worker()
    try:
        scenario, keys = _known(source)
        if keys.of(task) != key:
            raise ClusterError(CANNOT_CONFIRM)
        cancel, calls = Cancel(), Endable()
        run = partial(scenario.core.run, warmup=task.warmup, series=task.series)
        with _ended_if_unwanted(worker, cancel, calls), located(scenario, task):
            tables = calls.call(partial(run, task.point, task.replica, cancel))
    except Cancelled:
        # It is repeated if somebody has come to want it in this moment, and forgotten otherwise.
        raise Reschedule from None
    except Exception as error:
        put_before(f"worker {worker.address}", error)
        raise
    return record.packed(tables)


@contextmanager
def _ended_if_unwanted(worker: Any, cancel: Cancel, calls: Endable) -> Iterator[None]:
    """End the run that is carried out within this context when nobody wants it any more.

    The scheduler takes it back when its client has done so, or is gone; and where the scheduler has
    gone, the worker closes. Dask lets the run go on in both cases.
    """
    from distributed.core import Status

    over, key = Event(), worker.get_current_task()

    def watch() -> None:
        while not over.wait(LOOK_INTERVAL_S):
            known = worker.state.tasks.get(key)
            closes = worker.status in (Status.closing, Status.closed)
            if closes or known is None or known.state == "cancelled":
                cancel.set()
                all_end(over.wait, calls)
                return

    Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        over.set()


@lru_cache(maxsize=4)
def _known(source: Source) -> tuple[Scenario, Keys]:
    """Read a scenario once on each worker, and again as long as it finds other files there."""
    overrides = list(source.overrides)
    scenario = Scenario(source.text, source.place, Path(source.folder), overrides)
    keys = Keys(scenario)
    if keys.of_content() != source.content:
        raise ClusterError(CANNOT_CONFIRM)
    return scenario, keys
