"""Saves a figure for print, for the page, and with the data behind it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from matplotlib.figure import Figure

from sojourn.whole import write_whole

FORMATS = ("svg", "pdf", "png")
"""What every figure is saved as."""

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""What would make two files of the same figure differ, left out."""


def save(
    figure: Figure,
    frame: pl.DataFrame,
    folder: Path,
    name: str,
    formats: Sequence[str] = FORMATS,
) -> dict[str, Path]:
    """Write NAME in all ``formats`` and NAME.csv into `folder`; returns the paths by ending.

    The same figure gives the same bytes: no date, no random identifiers. Each file is written
    whole or not at all. Raises OSError, which names the file that cannot be written.
    """
    contents: dict[str, bytes] = {}
    # Text stays text, so that it can be searched, read aloud and scaled.
    settings: Any = {"svg.hashsalt": name, "svg.fonttype": "none", "pdf.fonttype": 42}
    with matplotlib.rc_context(settings):
        # The layout does not depend on the format: find it once, it is the slow part.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for ending in formats:
            drawn = io.BytesIO()
            figure.savefig(drawn, format=ending, dpi=160, metadata=METADATA[ending])
            contents[ending] = drawn.getvalue()
    contents["csv"] = frame.write_csv().encode()
    paths = {ending: folder / f"{name}.{ending}" for ending in contents}
    for ending, path in paths.items():
        write_whole(path, [contents[ending]])
    return paths
