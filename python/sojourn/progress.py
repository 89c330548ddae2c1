"""How far runs are: a bar under the cell of a notebook, or on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from html import escape
from typing import Any, Literal

from sojourn.errors.arguments import kind_error
from sojourn.workers.listener import FineProgress, OnProgress

Progress = OnProgress | Literal["bar", "none"] | None
"""A function that is told how many runs of how many are done; ``"bar"``, ``"none"``, or None for a
bar in notebooks and nothing elsewhere."""


def check(progress: object) -> None:
    """Raise :class:`sojourn.errors.arguments.KindError` for what is no way to show progress."""
    if not (callable(progress) or progress in (None, "bar", "none")):
        raise kind_error("progress", progress, 'a function, "bar", "none" or None')


@contextmanager
def progress_bar(progress: Progress, label: str) -> Generator[OnProgress | None]:
    """Show progress as it was asked for, while within. What is shown goes away at the end."""
    check(progress)
    if callable(progress) or progress == "none":
        yield progress if callable(progress) else None
    elif show := _of_notebook():
        show(_html(label, 0, 0, 0))
        try:
            yield FineProgress(lambda *counts: show(_html(label, *counts)))
        finally:
            show("")
    elif progress == "bar":
        from sojourn.cli import progress as terminal

        with terminal.shown(label) as bar:
            yield bar
    else:
        yield None


def _html(label: str, done: int, total: int, passed: float) -> str:
    """A bar, readable aloud too."""
    count = f"{done} of {total} runs" if total else "beginning"
    bar = f'<progress max="{total}" value="{passed:g}">' if total else "<progress>"
    return f"<label>{escape(label)}: {bar}{count}</progress> {count}</label>"


def _of_notebook() -> Callable[[str], Any] | None:
    """What shows HTML in the running cell, one text in place of the last; None elsewhere."""
    if "marimo" in sys.modules and (marimo := sys.modules["marimo"]).running_in_notebook():
        return lambda html: marimo.output.replace(marimo.Html(html))
    if "ipykernel" in sys.modules:
        from IPython.display import (  # pyright: ignore[reportMissingImports]
            HTML,
            display,
        )

        handle: Any = display(HTML(""), display_id=True)
        return lambda html: handle.update(HTML(html))
    return None
