"""Which figures a report has written, so that the next one leaves none of an old experiment.

What somebody has changed since is theirs, and stays.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sojourn.whole import write_whole

NOTE = ".written.json"
"""Beside the files: their names and checksums."""


def note(folder: Path, paths: Iterable[Path]) -> None:
    """Note what has been written into ``folder``; remove what was noted before and is not among it.

    Raises OSError.
    """
    written = {path.name: _checksum(path) for path in paths}
    for name, checksum in _noted(folder).items():
        path = folder / name
        if name not in written and path.is_file() and _checksum(path) == checksum:
            path.unlink()
    write_whole(folder / NOTE, [f"{json.dumps(written, indent=1)}\n".encode()])


def _noted(folder: Path) -> dict[str, str]:
    """Names and checksums; none where the note is missing or damaged."""
    try:
        found: Any = json.loads((folder / NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    # Nothing outside of the folder, whatever a note says.
    return {name: found[name] for name in found if Path(name).name == name}


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
