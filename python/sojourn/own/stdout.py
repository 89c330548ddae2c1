"""Where the output of the user's classes goes if standard output belongs to a command.

A table or a JSON document that goes through a pipe is complete only if nobody else writes there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_lock = Lock()
_replaced: list[Any] = []
"""The earlier values of standard output, one for each replacement; the first is the real one."""

_is_program = False
"""Whether standard output belongs to a command of the program."""


def keep_output() -> None:
    """From now on standard output is for the program: what classes print goes to stderr."""
    global _is_program
    _is_program = True


def keeps_output() -> bool:
    """Whether standard output is reserved in this way."""
    return _is_program


@contextmanager
def redirected_to_stderr() -> Iterator[None]:
    """While a class of the user runs in a command, redirect what it prints to stderr."""
    if not _is_program:
        yield
        return
    # Several runs may be under way: the last to end puts things back.
    with _lock:
        _replaced.append(sys.stdout)
        sys.stdout = sys.stderr
    try:
        yield
    finally:
        with _lock:
            last = _replaced.pop()
            if not _replaced:
                sys.stdout = last


def take_back() -> None:
    """Give standard output back to the command, whatever a run that was ended has left of it."""
    with _lock:
        if _replaced:
            sys.stdout = _replaced[0]
