"""Saves a figure for print, for the page, and with the data behind it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import polars as pl
from matplotlib.backend_bases import get_registered_canvas_class
from matplotlib.figure import Figure

from sojourn.files.whole import write_whole

FORMATS = ("svg", "pdf", "png")
"""What every figure is saved as."""

METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None},
    "pdf": {"CreationDate": None, "Producer": None, "Creator": None},
    "png": {"Software": None},
}
"""What would make two files of the same figure differ, left out."""

DPI = 160
"""Dots per inch of a PNG, and of what the other formats hold as dots."""


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
    # Text stays text, so that it can be searched, read aloud and scaled.
    settings: Any = {"svg.hashsalt": name, "svg.fonttype": "none", "pdf.fonttype": 42}
    with matplotlib.rc_context(settings):
        # The layout does not depend on the format: find it once, it is the slow part.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        contents = {ending: drawn(figure, ending) for ending in formats}
    contents["csv"] = frame.write_csv().encode()
    paths = {ending: folder / f"{name}.{ending}" for ending in contents}
    for ending, path in paths.items():
        write_whole(path, [contents[ending]])
    return paths


def drawn(figure: Figure, ending: str) -> bytes:
    """The figure, whose layout is found, as a file; the figure stays as it is.

    ``Figure.savefig`` would draw it twice, the first time for its layout alone.
    """
    file, shown, dpi = io.BytesIO(), figure.canvas, figure.dpi
    canvas: Any = get_registered_canvas_class(ending)(figure)
    figure.set_dpi(DPI)
    try:
        getattr(canvas, f"print_{ending}")(file, metadata=METADATA[ending])
    finally:
        figure.set_canvas(shown)
        figure.set_dpi(dpi)
    return file.getvalue()
