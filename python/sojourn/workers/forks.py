"""A forked copy of a process that has made frames cannot make any."""

from __future__ import annotations

import os

_process: int | None = None
"""Where the first frames were made; a forked copy of that process inherits it."""


def check_process() -> None:
    """Raise RuntimeError in a forked copy of a process that has made frames.

    The threads with which polars makes frames are not copied, so the copy would wait for them
    forever.
    """
    if _process not in (None, os.getpid()):
        raise RuntimeError(
            "this process is a fork of one that has made frames, and polars cannot make any here; "
            'start processes with multiprocessing.get_context("spawn") or "forkserver"'
        )


def note_process() -> None:
    """Note that this process makes frames. Raises RuntimeError as :func:`check_process` does."""
    check_process()
    global _process
    _process = os.getpid()
