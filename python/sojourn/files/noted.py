"""Which files were written beside each other, so that the next ones leave none of what was before.

What somebody has changed since is theirs, and stays.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sojourn.files.leftovers import checksums, remove
from sojourn.files.whole import write_whole

NOTE = ".written.json"
"""Beside the files: their names and checksums. What is about one of them has a note of its own."""


def note(folder: Path, paths: Iterable[Path], of: Path | None = None) -> None:
    """Note what has been written into ``folder``; remove what was noted before and is not among it.

    All of it is about ``of``, one of them, where given: as long as that comes out the same, what
    was noted before stays. Raises OSError.
    """
    place = folder / (NOTE if of is None else f".{of.stem}{NOTE}")
    written, before = checksums(paths), _noted(place)
    if of is not None and before.get(of.name) == written[of.name]:
        written = before | written
    remove(folder, before, written)
    write_whole(place, [f"{json.dumps(written, indent=1)}\n".encode()])


def _noted(place: Path) -> dict[str, str]:
    """Names and checksums; none where the note is missing or damaged."""
    try:
        found: Any = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
