"""What is printed: tables as wide as the terminal, else as ``COLUMNS`` says; summaries as JSON."""

from __future__ import annotations

import os
import sys
from typing import Any

from rich.console import Console

WIDTH = 160
"""Columns where neither says anything."""


def printer(width: int = WIDTH, *, highlight: bool = True) -> Console:
    """Where tables are printed; ``width`` goes for pipes and files."""
    columns = os.environ.get("COLUMNS", "")
    # Zero is what some terminals say that do not know; a table of no width would say nothing.
    is_told = columns.isdigit() and int(columns) > 0
    is_told = is_told or (sys.stdout.isatty() and not columns.isdigit())
    # What users write, titles and names, is shown as they wrote it, with what stands in brackets.
    return Console(width=None if is_told else width, highlight=highlight, markup=False, emoji=False)


def print_summary(summary: dict[str, Any]) -> None:
    """Print a summary as JSON; that of many points is long, and the standard library slow."""
    import orjson

    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    sys.stdout.write(orjson.dumps(summary, option=options).decode())
