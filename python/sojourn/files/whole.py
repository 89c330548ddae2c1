"""Files that take their place whole, by rename, or not at all."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from errno import EISDIR
from itertools import count
from pathlib import Path
from typing import Self

from sojourn.signals import uninterrupted

UNFINISHED = ".part"
"""How the name of a file ends that is to take the place of another."""

NAME_LENGTH = 40
"""So much of a file's name begins that of what is to take its place."""

_numbers = count()

_BEGUN_NS = time.time_ns()
"""No file of this process was begun earlier."""


def own_name() -> str:
    """A name that nobody else gives to a file, in this process or another, on any machine."""
    return f"{time.time_ns():x}-{os.getpid():x}-{next(_numbers):x}"


def remove_unfinished(paths: Iterable[Path]) -> None:
    """Remove unfinished files that a killed process left; those of one that runs here stay.

    Where the file system has locks nobody else is writing there, where it has none another may be.
    """
    for path in paths:
        if not _may_be_written(path):
            path.unlink(missing_ok=True)


def _may_be_written(path: Path) -> bool:
    """Whether a process that runs here may be writing an unfinished file, going by its name.

    Of a process on another machine it cannot tell.
    """
    try:
        begun, process, _ = path.name.removesuffix(UNFINISHED).rpartition(".")[2].split("-")
        begun_ns, number = int(begun, 16), int(process, 16)
    except ValueError:
        return False
    if number == os.getpid():
        # An earlier process may have had the same number, as they do in containers.
        return begun_ns >= _BEGUN_NS
    return _runs(number)


def _runs(process: int) -> bool:
    """Whether there is a process of this number; assumed where asking would end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


class Unfinished:
    """A file that is being written under another name, until it takes its place.

    Where the block that writes it ends without that, what was there before stays, and nothing is
    left beside it. The other name is its own: several may write the same file at once, and the last
    to end has it. All of it raises OSError, which names ``path``.
    """

    def __init__(self, path: Path) -> None:
        """Begin it; its folder is made where it is missing."""
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR), str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        # Its name may be as long as the system allows already.
        self._other = path.with_name(f"{path.name[:NAME_LENGTH]}.{own_name()}{UNFINISHED}")
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
        # Where this fails there is nothing to remove, or the error that is told already; and where
        # it was not begun there is no file.
        with suppress(OSError, AttributeError):
            self._file.close()
        with suppress(OSError, AttributeError):
            self._other.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        """Begin to write."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove what did not take its place."""
        self.discard()

    def __del__(self) -> None:
        """Remove it too where Ctrl-C came between its beginning and the block that writes it."""
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
