"""Saves a figure for print, for the page, and with the data behind it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from matplotlib.figure import Figure

FORMATS = ("png", "svg")
"""What every figure is saved as."""


def save(figure: Figure, frame: pl.DataFrame, folder: Path, name: str) -> dict[str, Path]:
    """Write NAME.png, NAME.svg and NAME.csv into `folder`; returns the paths by ending.

    The same figure gives the same bytes: no date, no random identifiers. Raises OSError when
    the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[str, Path] = {}
    # Text stays text in the SVG, so that it can be searched, read aloud and scaled.
    settings: Any = {"svg.hashsalt": name, "svg.fonttype": "none"}
    with matplotlib.rc_context(settings):
        # The layout does not depend on the format: find it once, it is the slow part.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for ending in FORMATS:
            paths[ending] = folder / f"{name}.{ending}"
            metadata = {"Date": None} if ending == "svg" else {"Software": None}
            figure.savefig(paths[ending], dpi=160, metadata=metadata)
    paths["csv"] = folder / f"{name}.csv"
    frame.write_csv(paths["csv"])
    return paths
