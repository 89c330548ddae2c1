"""Records of files that a command has written, such as traces or figures.

The next command of this kind removes those that it does not write anew. Checksums tell which files
are unchanged: only these are removed, and what somebody has edited since stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from sojourn.files.whole import write_whole

RECORD = ".written.json"
"""Beside the files: their names and checksums. What is about one of them has one of its own."""


def record(folder: Path, paths: Iterable[Path], of: Path | None = None) -> None:
    """Record what has been written into ``folder``; remove what was before and is not among it.

    All of it is about ``of``, one of them, where given: as long as that comes out the same, what
    was recorded before stays. Raises OSError.
    """
    place = folder / (RECORD if of is None else f".{of.stem}{RECORD}")
    written, before = checksums(paths), _recorded(place)
    if of is not None and before.get(of.name) == written[of.name]:
        written = before | written
    remove_unchanged(folder, before, written)
    write_whole(place, [f"{json.dumps(written, indent=1)}\n".encode()])


def _recorded(place: Path) -> dict[str, str]:
    """Names and checksums; none where the record is missing or damaged."""
    try:
        found: Any = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def checksums(paths: Iterable[Path]) -> dict[str, str]:
    """What a record says of files: their names and checksums."""
    return {path.name: _checksum(path) for path in paths}


def remove_unchanged(folder: Path, recorded: Mapping[str, str], written: Collection[str]) -> None:
    """Remove what was ``recorded`` in ``folder``, is as it was, and is not ``written`` anew.

    Raises OSError.
    """
    for name, checksum in recorded.items():
        path = folder / name
        # Nothing outside of the folder, whatever a record says.
        is_inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        if is_inside and name not in written and path.is_file() and _checksum(path) == checksum:
            path.unlink()


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
