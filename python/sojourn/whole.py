"""Files that take their place whole, by rename, or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: Iterable[bytes]) -> None:
    """Put a file in its place, or leave what was there; its folder is made where it is missing.

    Raises OSError, which names ``path``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    try:
        with unfinished.open("wb") as file:
            for piece in content:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        # Where this fails there is nothing to remove, or the error that is told already.
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
