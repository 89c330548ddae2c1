"""Files that take their place whole, by rename, or not at all."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from typing import Self


class Unfinished:
    """A file that is being written under another name, until it takes its place.

    Where the block that writes it ends without that, what was there before stays, and nothing is
    left beside it. All of it raises OSError, which names ``path``.
    """

    def __init__(self, path: Path, ending: str = ".part") -> None:
        """Begin it; its folder is made where it is missing.

        ``ending`` is that of the other name: two who write at once need two.
        """
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._other = path.with_name(path.name + ending)
        with self._named():
            self._file = self._other.open("wb")

    def write(self, piece: bytes) -> None:
        """Put a piece behind those that are there."""
        with self._named():
            self._file.write(piece)

    def force(self) -> None:
        """Force it to the disk; nothing is put behind it any more."""
        if self._file.closed:
            return
        with self._named():
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()

    def take_place(self) -> None:
        """Force it to the disk and give it its name."""
        self.force()
        with self._named():
            self._other.replace(self._path)

    def discard(self) -> None:
        """Remove it, unless it has taken its place."""
        # Where this fails there is nothing to remove, or the error that is told already.
        with suppress(OSError):
            self._file.close()
        with suppress(OSError):
            self._other.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Begin to write."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what did not take its place."""
        self.discard()

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


def write_whole(path: Path, content: Iterable[bytes]) -> None:
    """Put a file in its place, or leave what was there; its folder is made where it is missing.

    Raises OSError, which names ``path``.
    """
    with Unfinished(path) as file:
        for piece in content:
            file.write(piece)
        file.take_place()


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Put files in their places, all of them or, where the disk has no room for all, none.

    So it is where Ctrl-C comes meanwhile. Raises OSError, which names the file.
    """
    with ExitStack() as stack:
        files = []
        for path, content in contents.items():
            files.append(stack.enter_context(Unfinished(path)))
            files[-1].write(content)
            files[-1].force()
        with uninterrupted():
            for file in files:
                file.take_place()


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Put off Ctrl-C and SIGTERM until the end of what takes a moment and is not to be left half.

    Only the main thread hears them.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = {}
    try:
        for one in (signal.SIGINT, signal.SIGTERM):
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
