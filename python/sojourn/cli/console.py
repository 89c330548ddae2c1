"""How wide tables may be: as the terminal is, else as ``COLUMNS`` says."""

from __future__ import annotations

import os
import sys

from rich.console import Console

WIDTH = 160
"""Columns where neither says anything."""


def printer(width: int = WIDTH, *, highlight: bool = True) -> Console:
    """Where tables are printed; ``width`` goes for pipes and files."""
    is_told = sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()
    return Console(width=None if is_told else width, highlight=highlight)
