"""`summary.json`, a line for each point: to indent all of it takes longer than many a sweep.

Of a large sweep it has gigabytes. So it is written point by point while the runs go on, and only
its name is missing in the end.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from sojourn.files.checksummed import ChecksummedFile
from sojourn.summary import Head

NAME = "summary.json"

WRITE_BACK_BYTES = 1 << 24
"""So much is sent to the disk at once: to force all of it there in the end would take as long as
the runs of many points."""


class SummaryFile(ChecksummedFile):
    """The summary of an experiment that is being written. Raises OSError."""

    def __init__(self, folder: Path, head: Head) -> None:
        """Begin it in ``folder`` with what stands before the points."""
        super().__init__(folder / NAME)
        self._between = b"\n"
        self._sent_bytes = 0
        self.head = head
        self.write(orjson.dumps(head).removesuffix(b"}") + b',"points":[')

    def put(self, points: Iterable[bytes]) -> None:
        """Put points behind those that are there, as `summary.summarised_points` gives them."""
        for point in points:
            self.write(self._between + point)
            self._between = b",\n"
        if self._bytes - self._sent_bytes >= WRITE_BACK_BYTES:
            self._send()

    def _send(self) -> None:
        """Have the disk begin to write what is new, where the system can.

        Linux begins to write what a program says that it needs no more.
        """
        new = (self._sent_bytes, self._bytes - self._sent_bytes)
        with suppress(AttributeError, OSError):
            os.posix_fadvise(self._file.fileno(), *new, os.POSIX_FADV_DONTNEED)
        self._sent_bytes = self._bytes

    def force(self) -> None:
        """End it and force it to the disk."""
        if not self._file.closed:
            self.write(b"\n]}\n")
        super().force()


def whole_summary(folder: Path, summary: Mapping[str, Any]) -> SummaryFile:
    """Write a whole summary, as `summary.summarised` gives it; it is still to take its place."""
    head = {name: value for name, value in summary.items() if name != "points"}
    file = SummaryFile(folder, head)
    try:
        file.put(summary["points"])
        file.force()
    except BaseException:
        file.discard()
        raise
    return file


def remove_unfinished(folder: Path) -> None:
    """Remove what killed commands left behind; none may be at work in ``folder``."""
    for name in (NAME, "*.parquet", "scenario.toml", "experiment.json"):
        for path in folder.glob(f"{name}.*.part"):
            path.unlink()
