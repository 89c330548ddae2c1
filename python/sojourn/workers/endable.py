"""Calls in threads that can be ended even where code of the user in them never comes back.

Between two calls of a class in Python, a run looks whether it is to end. Within one, only an
exception that is raised there from outside ends it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock, get_ident
from typing import TypeVar

from sojourn._core import Cancelled

PATIENCE_S = 2.0
"""How long a run that is to end may take until it is ended from outside; and how long until it is
left behind."""

LOOK_INTERVAL_S = 0.2
"""How often to raise the exception: code of the user may have caught it."""

T = TypeVar("T")


class _Ended(KeyboardInterrupt):
    """Raised in a thread from outside. The core hands on such an exception as it is."""


class Endable:
    """Calls, each in a thread of its own, that another thread can end."""

    def __init__(self) -> None:
        """Begin without any."""
        self._lock = Lock()
        self._threads: set[int] = set()
        self._was_ended = False

    def call(self, work: Callable[[], T]) -> T:
        """Do ``work``. Raises :class:`sojourn._core.Cancelled` if it was ended from outside."""
        thread = get_ident()
        try:
            with self._lock:
                self._threads.add(thread)
            try:
                return work()
            finally:
                self._leave(thread)
        except _Ended:
            # Perhaps it came while the thread was leaving.
            self._leave(thread)
            raise Cancelled("cancelled") from None

    def end(self) -> None:
        """Raise an exception in every thread that is in a call."""
        with self._lock:
            self._was_ended = True
            for thread in self._threads:
                _raise_in(thread, _Ended)

    def _leave(self, thread: int) -> None:
        """From here on no exception comes, neither one that was raised and not heard yet."""
        with self._lock:
            self._threads.discard(thread)
            if self._was_ended:
                _raise_in(thread, None)


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise an exception in a thread when it runs Python code next; or take it back."""
    # It takes its time to import, and is hardly ever needed.
    import ctypes

    given = None if kind is None else ctypes.py_object(kind)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)


def all_end(have_ended: Callable[[float], bool], calls: Endable) -> bool:
    """Wait for calls that were told to end, and end those that do not; return whether all have.

    ``have_ended`` waits so many seconds for them. What no exception reaches, such as a wait in a
    library, is left behind; and so is everything if Ctrl-C comes meanwhile.
    """
    begun = time.monotonic()
    try:
        while not have_ended(LOOK_INTERVAL_S):
            passed = time.monotonic() - begun
            if passed > 2 * PATIENCE_S:
                return False
            if passed > PATIENCE_S:
                calls.end()
    except KeyboardInterrupt:
        return False
    return True
