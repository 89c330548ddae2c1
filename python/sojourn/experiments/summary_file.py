"""`summary.json`, with a line for each point: to indent all of it takes longer than many a sweep.

For a large sweep it has gigabytes. So it is written point by point while the runs go on, and in the
end it only needs its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from sojourn.files import whole
from sojourn.files.checksummed import ChecksummedFile
from sojourn.summary import Head

NAME = "summary.json"

WRITE_BACK_BYTES = 1 << 24
"""How much is sent to the disk at a time: to force all of it there in the end would take as long as
the runs of many points."""


class SummaryFile(ChecksummedFile):
    """The summary of an experiment while it is being written. Raises OSError."""

    def __init__(self, folder: Path, head: Head) -> None:
        """Begin it in ``folder`` with what comes before the points."""
        super().__init__(folder / NAME)
        self._between = b"\n"
        self._sent_bytes = 0
        self.head = head
        self.write(orjson.dumps(head).removesuffix(b"}") + b',"points":[')

    def put(self, points: Iterable[bytes]) -> None:
        """Add points, as `summary.summarised_points` gives them."""
        for point in points:
            self.write(self._between + point)
            self._between = b",\n"
        if self._bytes - self._sent_bytes >= WRITE_BACK_BYTES:
            self._send()

    def _send(self) -> None:
        """Make the disk begin to write what is new, if the system can.

        Linux begins to write data when a program says that it no longer needs it.
        """
        new = (self._sent_bytes, self._bytes - self._sent_bytes)
        with suppress(AttributeError, OSError):
            os.posix_fadvise(self._file.fileno(), *new, os.POSIX_FADV_DONTNEED)
        self._sent_bytes = self._bytes

    def force(self) -> None:
        """Complete it and force it to the disk."""
        if not self._file.closed:
            self.write(b"\n]}\n")
        super().force()


def whole_summary(folder: Path, summary: Mapping[str, Any]) -> SummaryFile:
    """Write a whole summary, as `summary.summarised` gives it, under a temporary name."""
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
    """Remove what killed commands left behind in ``folder``."""
    for name in (NAME, "*.parquet", "scenario.toml", "experiment.json"):
        whole.remove_unfinished(folder.glob(f"{name}.*{whole.UNFINISHED}"))
