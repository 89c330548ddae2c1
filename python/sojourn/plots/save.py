"""Saves a figure for print, for the page, and with the data behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from matplotlib.figure import Figure

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

    The same figure gives the same bytes: no date, no random identifiers. Raises OSError when
    the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    # Text stays text, so that it can be searched, read aloud and scaled.
    settings: Any = {"svg.hashsalt": name, "svg.fonttype": "none", "pdf.fonttype": 42}
    with matplotlib.rc_context(settings):
        # The layout does not depend on the format: find it once, it is the slow part.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for ending in formats:
            paths[ending] = folder / f"{name}.{ending}"
            figure.savefig(paths[ending], dpi=160, metadata=METADATA[ending])
    paths["csv"] = folder / f"{name}.csv"
    frame.write_csv(paths["csv"])
    return paths
