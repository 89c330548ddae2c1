"""Files of earlier results that the next ones have nothing to put in the place of.

Such as traces and figures. They are noted with a checksum when they are written, so that only they
go: what somebody has changed since is theirs, and stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path


def checksums(paths: Iterable[Path]) -> dict[str, str]:
    """What a note says of files: their names and checksums."""
    return {path.name: _checksum(path) for path in paths}


def remove(folder: Path, noted: Mapping[str, str], written: Collection[str]) -> None:
    """Remove what was ``noted`` in ``folder`` and is not ``written`` anew. Raises OSError."""
    for name, checksum in noted.items():
        path = folder / name
        # Nothing outside of the folder, whatever a note says.
        is_inside = not Path(name).is_absolute() and ".." not in Path(name).parts
        if is_inside and name not in written and path.is_file() and _checksum(path) == checksum:
            path.unlink()


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
