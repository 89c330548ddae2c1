"""Locks that end with the process that holds them, however it ends."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: there every process is trusted to be alone.
    fcntl = None

LOOK_INTERVAL_S = 0.05
"""How often a process that waits for its turn checks whether it has come."""


def try_lock(file: int, *, shared: bool = False) -> bool:
    """Lock an open file without waiting; False if another process has it."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        # Some network file systems know no locks.
        return True
    return True


class Busy(Exception):
    """Another process is at work in the folder."""


@contextmanager
def held(path: Path, *, shared: bool = False, waits: bool = False) -> Iterator[None]:
    """Hold a lock file; where another process holds it, wait or raise :class:`Busy`."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        if not path.exists():
            raise
        # In a folder that is shared it may be of another user; most file systems lock that too.
        file = os.open(path, os.O_RDONLY)
    try:
        while not try_lock(file, shared=shared):
            if not waits:
                raise Busy
            time.sleep(LOOK_INTERVAL_S)
        yield
    finally:
        os.close(file)
