"""A figure that carries the data behind it."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sojourn.errors.arguments import as_path
from sojourn.plots.save import FORMATS, save

FOR_LATEX = ("pgf", "eps", "ps", "tikz")
"""Endings that people ask for who write in LaTeX."""


def format_of(path: Path) -> str:
    """The format that a path asks for; empty where it has no ending.

    Raises ValueError for an ending that is no format of ours, and for a folder.
    """
    ending = path.suffix.removeprefix(".")
    if not ending and path.is_dir():
        raise ValueError(f"found the folder {str(path)!r}; allowed: a file in it")
    if ending and ending not in FORMATS:
        allowed = ", ".join(FORMATS)
        if ending in FOR_LATEX:
            allowed += "; LaTeX includes a pdf as it is: its lines and letters are no dots"
        raise ValueError(f"found the ending {path.suffix!r}; allowed: {allowed}")
    return ending


class Plot(Figure):
    """A matplotlib figure; ``data`` is the frame that it shows."""

    data: pl.DataFrame

    def save(self, path: str | Path) -> dict[str, Path]:
        """Write the figure, and its data as CSV beside it; return the paths by ending.

        The ending of ``path`` says the format: svg, pdf or png. Without one all three are written.
        Raises ValueError for another ending or a folder, OSError where a file cannot be written.
        """
        path = as_path("path", path)
        ending = format_of(path)
        name = path.stem if ending else path.name
        return save(self, self.data, path.parent, name, (ending,) if ending else FORMATS)

    def _repr_png_(self) -> bytes:
        """The picture that a notebook shows."""
        buffer = io.BytesIO()
        FigureCanvasAgg(self).print_png(buffer)
        return buffer.getvalue()
