"""All finished runs of an experiment: the journals of its folder, found by key.

The store keeps every run that was ever finished there, whether or not the scenario still asks for
it: a scenario that is changed back and forth computes nothing twice. The tables are made from it.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EIO
from pathlib import Path

from sojourn.files.whole import remove_unfinished
from sojourn.store import record
from sojourn.store.journal import Journal, sync_folder
from sojourn.store.lock import try_lock


class Store:
    """The finished runs in a folder.

    ``damages`` says, in words, which stretches of which files are damaged; they are never read.
    """

    def __init__(self, folder: Path) -> None:
        """Open the store in ``folder``, made if need be, and check every record of it."""
        self.folder = folder
        self.damages: list[str] = []
        self._places: dict[bytes, tuple[Path, int, int]] = {}
        # The journals that it knows to the last byte, with their sizes.
        self._sizes: dict[Path, int] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for path in self._journals():
            self._read(path)

    def __len__(self) -> int:
        """How many runs it holds."""
        return len(self._places)

    def __contains__(self, key: bytes) -> bool:
        """Whether the run of this key is finished."""
        return key in self._places

    def payload(self, key: bytes) -> bytes:
        """The tables of a run, packed. Raises OSError if they have been damaged meanwhile."""
        path, offset, length = self._places[key]
        with path.open("rb") as file:
            file.seek(offset)
            payload = record.payload_of(file.read(length))
        if payload is None:
            raise OSError(EIO, f"was damaged while it was used, at byte {offset}", str(path))
        return payload

    def __iter__(self) -> Iterator[bytes]:
        """The keys of all runs."""
        return iter(self._places)

    @contextmanager
    def journal(self) -> Iterator[Appender]:
        """Open a new journal and append runs to it."""
        with Journal(self.folder) as journal:
            yield Appender(journal, self._places, self._sizes)

    def tidy(self) -> None:
        """Merge all journals into one, without damaged parts, if that is worth it.

        The new file is put in its place as a whole, by rename, before the old ones are removed.
        Journals that another process writes are left alone, and so is what it wrote since this
        store was opened: not every file system has locks that would reveal this. If the disk is too
        full, nothing changes. What a killed process left unfinished is removed.
        """
        remove_unfinished(self.folder.glob("*.part"))
        paths = [path for path in self._journals() if self._knows(path)]
        if len(paths) < 2 and not (paths and self.damages):
            return
        with contextlib.ExitStack() as locks:
            free = [path for path in paths if _is_free(path, locks) and self._knows(path)]
            if not free:
                return
            new = Journal(self.folder).path
            unfinished = new.with_suffix(".part")
            try:
                places = self._copy(unfinished, new, set(free))
                unfinished.rename(new)
            except OSError:
                unfinished.unlink(missing_ok=True)
                return
            sync_folder(self.folder)
            self._places |= places
            self._sizes[new] = new.stat().st_size
            for path in free:
                path.unlink()
        self.damages.clear()

    def _copy(
        self, unfinished: Path, new: Path, paths: set[Path]
    ) -> dict[bytes, tuple[Path, int, int]]:
        places = {}
        with unfinished.open("wb") as target:
            for key, (path, _, _) in self._places.items():
                if path in paths:
                    content = record.write(key, self.payload(key))
                    places[key] = (new, target.tell(), len(content))
                    target.write(content)
            target.flush()
            os.fsync(target.fileno())
        return places

    def _knows(self, path: Path) -> bool:
        """Whether everything that a journal contains by now has been read, or was written here."""
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_size == self._sizes.get(path)
        return False

    def _journals(self) -> list[Path]:
        return sorted(self.folder.glob("*.journal"))

    def _read(self, path: Path) -> None:
        if path.stat().st_size == 0:
            self._sizes[path] = 0
            return
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as map_:
            self._sizes[path] = len(map_)
            for part in record.scan(map_):
                if isinstance(part, record.Found):
                    self._places.setdefault(part.key, (path, part.offset, part.length))
                else:
                    what = "is cut off" if part.at_the_end else "is damaged"
                    self.damages.append(
                        f"{path}: {what} at byte {part.offset} ({part.length} bytes)"
                    )


class Appender:
    """Appends to a journal and remembers where."""

    def __init__(
        self,
        journal: Journal,
        places: dict[bytes, tuple[Path, int, int]],
        sizes: dict[Path, int],
    ) -> None:
        """Write to ``journal``, note places in ``places``, and its length in ``sizes``."""
        self._journal = journal
        self._places = places
        self._sizes = sizes

    def append(self, runs: Sequence[tuple[bytes, bytes]]) -> None:
        """Append runs, each its key and payload. Raises OSError when the disk is full."""
        for found in self._journal.append(runs):
            self._places.setdefault(found.key, (self._journal.path, found.offset, found.length))
            self._sizes[self._journal.path] = found.offset + found.length

    def commit_when_due(self) -> None:
        """Force what was appended to the disk, at most once a second."""
        self._journal.commit_when_due()


def _is_free(path: Path, locks: contextlib.ExitStack) -> bool:
    """Whether no other process writes this journal; it is locked for us until ``locks`` ends."""
    file = locks.enter_context(path.open("rb"))
    return try_lock(file.fileno())
