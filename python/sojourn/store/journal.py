"""A file to which finished runs are appended.

A record is passed to the operating system at once, so it survives if this process is killed. It is
forced to the disk together with others at most a second later (group commit), and then survives a
power failure.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

from sojourn.files.whole import own_name
from sojourn.store import record
from sojourn.store.lock import try_lock

COMMIT_INTERVAL_S = 1.0
"""The longest time whose records a power failure may take."""


class Journal:
    """Appends records to a new file of its own; nobody else writes into it.

    Raises OSError if the disk is full or fails: what was appended before remains intact.
    """

    def __init__(self, folder: Path) -> None:
        """Open a journal in ``folder``; its file is made with the first record."""
        self._folder = folder
        self._path = folder / f"{own_name()}.journal"
        self._file: int | None = None
        self._end = 0
        self._committed = time.monotonic()
        self._dirty = False

    @property
    def path(self) -> Path:
        """Its file."""
        return self._path

    def append(self, runs: Sequence[tuple[bytes, bytes]]) -> list[record.Found]:
        """Append runs, each as key and payload; return their places."""
        records = [record.write(key, payload) for key, payload in runs]
        bounds = list(accumulate(map(len, records), initial=self._end))
        if self._file is None:
            self._create()
            assert self._file is not None
        self._dirty = True
        try:
            _write_all(self._file, b"".join(records))
        except BaseException as error:
            # Whole records stay: all of them where Ctrl-C came after the last was written. The rest
            # is taken back; a reader would pass it over anyway.
            with contextlib.suppress(OSError):
                written = os.fstat(self._file).st_size
                self._end = max(place for place in bounds if place <= written)
                os.ftruncate(self._file, self._end)
            if isinstance(error, OSError):
                raise _named(error, self._path) from None
            raise
        self._end = bounds[-1]
        return [
            record.Found(key, begin, end - begin)
            for (key, _), (begin, end) in zip(runs, pairwise(bounds), strict=True)
        ]

    def commit_when_due(self) -> None:
        """Force what was appended to the disk, if a second has passed since."""
        if self._dirty and time.monotonic() - self._committed >= COMMIT_INTERVAL_S:
            self.commit()

    def commit(self) -> None:
        """Force what was appended to the disk."""
        if self._dirty and self._file is not None:
            try:
                os.fsync(self._file)
            except OSError as error:
                raise _named(error, self._path) from None
        self._dirty = False
        self._committed = time.monotonic()

    def _create(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        # At once: what ends this before its end is to find a file to close.
        self._file = os.open(self._path, flags, 0o666)
        try_lock(self._file)
        sync_folder(self._folder)

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Commit and close; a second error must not hide the first."""
        try:
            self.commit()
        except OSError:
            if kind is None:
                raise
        finally:
            if self._file is not None:
                os.close(self._file)
                self._file = None


def sync_folder(folder: Path) -> None:
    """Force the names in a folder to the disk, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_all(file: int, content: bytes) -> None:
    while content:
        content = content[os.write(file, content) :]


def _named(error: OSError, path: Path) -> OSError:
    """The same error with the name of the file."""
    return OSError(error.errno, error.strerror, str(path))
