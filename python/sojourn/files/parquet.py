"""Frames as Parquet, in files of any name: those that are no text polars does not take itself."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl


def packed(frame: pl.DataFrame) -> bytes:
    """A frame as the content of a file."""
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


def read(path: Path) -> pl.DataFrame:
    """Read a file."""
    if _is_text(path):
        return pl.read_parquet(path, glob=False)
    with path.open("rb") as file:
        return pl.read_parquet(file)


def scan(path: Path) -> pl.LazyFrame:
    """Read of a file what is asked for."""
    return pl.scan_parquet(path, glob=False) if _is_text(path) else read(path).lazy()


def _is_text(path: Path) -> bool:
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
