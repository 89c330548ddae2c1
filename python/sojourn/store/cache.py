"""The tables of the runs that finished last, as they were before they were packed.

The results of a run are mostly processed right after it: then nothing has to be read and unpacked.
"""

from __future__ import annotations

from threading import Lock

from sojourn._core import Tables
from sojourn.store.record import Packed
from sojourn.workers.tasks import Task

MOST_BYTES = 8 << 20
"""The largest packed size of everything that is kept; unpacked it takes about ten times as much."""


class Cache:
    """Keeps tables until they are taken; without enough room, the oldest are dropped."""

    def __init__(self) -> None:
        """Begin empty."""
        self._packed: dict[Task, Packed] = {}
        self._bytes = 0
        self._lock = Lock()

    def keep(self, task: Task, packed: Packed) -> None:
        """Keep the results of a run, if they are here unpacked."""
        if packed.tables is None:
            return
        with self._lock:
            self._packed[task] = packed
            self._bytes += len(packed.payload)
            while self._bytes > MOST_BYTES:
                self._drop(next(iter(self._packed)))

    def take(self, task: Task) -> Tables | None:
        """The tables of a run, only once; None if they are not here."""
        with self._lock:
            return self._drop(task).tables if task in self._packed else None

    def _drop(self, task: Task) -> Packed:
        packed = self._packed.pop(task)
        self._bytes -= len(packed.payload)
        return packed
