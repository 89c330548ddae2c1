"""Texts put aside on the disk until they are needed: those of a large sweep take gigabytes."""

from __future__ import annotations

import os
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path


class Aside:
    """Texts in a file that has no name: it goes with the process, however that ends."""

    def __init__(self, folder: Path) -> None:
        """The file lies on the disk of ``folder``."""
        self._folder = folder
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - it is open until the end
        self._lengths = array("Q")

    def put(self, texts: Iterable[bytes]) -> None:
        """Put texts behind those that are there. Raises OSError when the disk is full."""
        try:
            self._file.seek(0, os.SEEK_END)
            for text in texts:
                self._file.write(text)
                self._lengths.append(len(text))
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._folder)) from None

    def __iter__(self) -> Iterator[bytes]:
        """All texts, in the order in which they were put."""
        self._file.seek(0)
        for length in self._lengths:
            yield self._file.read(length)
