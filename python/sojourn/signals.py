"""The signals that end a program which has something to keep."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)
"""Ctrl-C; what batch systems send; what comes when a terminal is closed."""

AT_ONCE_S = 0.3
"""What is heard again within this time was sent once."""


class Repeats:
    """Tells a signal that is sent again from one that comes twice.

    ``timeout`` sends its signal to the program and then to the group that the program is in.
    """

    def __init__(self) -> None:
        """None has come."""
        self._last_s = float("-inf")

    def has_come(self) -> bool:
        """Whether the signal that is heard now has come already."""
        now = time.monotonic()
        if now - self._last_s < AT_ONCE_S:
            return True
        self._last_s = now
        return False


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C and its like until the end of what takes a moment and is not to be left half.

    Only the main thread hears them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = {}
    try:
        for one in ENDINGS:
            # What was not set from Python cannot be set again.
            if (handler := signal.getsignal(one)) is not None:
                before[one] = handler
                signal.signal(one, lambda number, _: heard.append(number))
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
        if heard:
            signal.raise_signal(heard[0])
