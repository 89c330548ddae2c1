"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from sojourn.runner import OnProgress

LINE_INTERVAL_S = 5.0
"""How often a line is printed where there is no terminal."""


@contextmanager
def shown(label: str) -> Iterator[OnProgress]:
    """Show how many runs are done and when the last will be."""
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console, label) as progress:
            yield progress
    else:
        yield _Lines(label)


@contextmanager
def _bar(console: Console, label: str) -> Iterator[OnProgress]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)

        def progress(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield progress


class _Lines:
    """A line now and then."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.began = self.printed = time.monotonic()

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self.printed < LINE_INTERVAL_S:
            return
        self.printed = now
        left = (now - self.began) / done * (total - done)
        print(f"{self.label}: {done} of {total} runs, {left:.0f} s left", file=sys.stderr)
