"""A forked copy of a process that has worked with frames cannot do so."""

from __future__ import annotations

import os

_process: int | None = None
"""Where the first frames were worked with; a forked copy of that process inherits it."""


def check_process() -> None:
    """Raise RuntimeError in a forked copy of a process that has worked with frames.

    The threads with which polars does so are not copied, so the copy would wait for them forever.
    """
    if _process not in (None, os.getpid()):
        raise RuntimeError(
            "this process is a fork of one that has made frames, and polars cannot work with any "
            'here; start processes with multiprocessing.get_context("spawn") or "forkserver"'
        )


def note_process() -> None:
    """Note that this process works with frames.

    Raises RuntimeError as :func:`check_process` does.
    """
    check_process()
    global _process
    _process = os.getpid()
