"""Files whose size and checksum a manifest names."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from sojourn.files.whole import Unfinished


class ChecksummedFile(Unfinished):
    """An unfinished file whose size and checksum are taken while it is written."""

    def __init__(self, path: Path) -> None:
        """Begin it, as any unfinished file."""
        super().__init__(path)
        self._sha256 = hashlib.sha256()
        self._bytes = 0

    def write(self, piece: bytes) -> None:
        """Put a piece behind those that are there."""
        super().write(piece)
        self._sha256.update(piece)
        self._bytes += len(piece)

    @property
    def manifest_entry(self) -> dict[str, Any]:
        """Its size and checksum, as the manifest has them."""
        return {"bytes": self._bytes, "sha256": self._sha256.hexdigest()}
