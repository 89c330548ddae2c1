"""Ctrl-C, and other signals that end the front, while there are hosts."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, repeat
from typing import Any

from sojourn.signals import ENDINGS, Repeats


class Interrupts:
    """What has been heard, and what is done then.

    At first what would be done without this: a KeyboardInterrupt as a rule. While the command runs
    Ctrl-C is left to it, and what else ends the front ends the command. After either the hosts are
    tidied up: what comes then makes this quicker, and throws nothing away.
    """

    def __init__(self) -> None:
        """Nothing has been heard; see :func:`attended`."""
        self.heard = False
        self.has_ended_the_command = False
        """Other than by Ctrl-C, which a command may take for the way to end as it should."""
        self.is_urgent = False
        self._is_tidying = False
        self._ways: Iterator[Callable[[], None]] | None = None
        """To end the command while it runs, each after the one before did not."""
        self._repeats = Repeats()

    @contextmanager
    def left_to(self, process: subprocess.Popen[Any]) -> Iterator[None]:
        """Leave Ctrl-C to ``process``, which gets it too; the second ends it, the third kills it.

        SIGTERM and SIGHUP, which it need not get, end it at once. Then the hosts are tidied up.
        """
        self._ways = chain([process.terminate], repeat(process.kill))
        try:
            yield
        finally:
            self.tidy()

    def tidy(self) -> None:
        """From now on what comes is no reason to end, but one to hurry."""
        self._is_tidying = True

    def hear(self, number: int, frame: Any, before: Callable[[int, Any], Any]) -> None:
        """Hear a signal. ``before``: what would be done with it."""
        if self._repeats.has_come():
            return
        is_first, self.heard = not self.heard, True
        if self._is_tidying:
            self.is_urgent = True
        elif self._ways is not None:
            if number != signal.SIGINT:
                self.has_ended_the_command = True
            elif is_first:
                return
            next(self._ways)()
        else:
            try:
                before(number, frame)
            except BaseException:
                self.tidy()
                raise


@contextmanager
def attended() -> Iterator[Interrupts]:
    """Hear what comes, where this is the thread that does: one of the user's leaves it to him."""
    interrupts = Interrupts()
    before: dict[int, Any] = {}

    def hear(number: int, frame: Any) -> None:
        interrupts.hear(number, frame, before[number])

    try:
        if threading.current_thread() is threading.main_thread():
            for one in ENDINGS:
                # What is ignored, or ends a process without a word, still does.
                if callable(handler := signal.getsignal(one)):
                    before[one] = handler
                    signal.signal(one, hear)
        yield interrupts
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
