"""Files that are derived from others: written, or compared with what is on disk."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

Files = dict[Path, str | bytes]
"""Paths, and what is to stand there."""


def derive(description: str | None, files: Callable[[], Files]) -> int:
    """Write the files, or with ``--check`` none; return the exit status: 1 if any is stale then."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if stale")
    check = parser.parse_args().check
    derived = files()
    stale = [path for path in derived if not is_same(path, derived)]
    for path in stale:
        print(f"{'stale' if check else 'written'}: {path.relative_to(ROOT)}")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content_of(derived[path]))
    if stale and check:
        print("run `make generate` and commit what it writes", file=sys.stderr)
    return int(bool(stale) and check)


def is_same(path: Path, files: Files) -> bool:
    """Whether a file holds what it should; pictures are compared by the data beside them."""
    if path.suffix == ".png" and path.exists():
        return is_same(path.with_suffix(".csv"), files)
    return path.exists() and path.read_bytes() == content_of(files[path])


def content_of(content: str | bytes) -> bytes:
    """Bytes of a text or of what are bytes already."""
    return content if isinstance(content, bytes) else content.encode()
