"""Progress on stderr: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from sojourn.workers.listener import FineProgress

LINE_INTERVAL_S = 5.0
"""How often a line is printed where there is no terminal."""


@contextmanager
def shown(label: str, unit: str = "runs", per_unit: int = 1) -> Iterator[FineProgress]:
    """Show how many runs, or other things, are done and when the last will be.

    What is counted is shown in units of ``per_unit``. A KeyboardInterrupt goes on with the count
    as its text: ``3 of 8 runs``.
    """
    console = Console(stderr=True, markup=False, emoji=False)
    counts = _Counts(unit, per_unit)
    try:
        if console.is_terminal:
            with _bar(console, label, counts) as tell:
                yield FineProgress(tell)
        else:
            yield FineProgress(_Lines(label, counts))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(counts.text) from None


class _Counts:
    """How many are done of how many, as last heard."""

    def __init__(self, unit: str, per_unit: int) -> None:
        self.unit, self.per_unit = unit, per_unit
        self.text = f"0 {unit}"
        self.passed = 0.0

    def hear(self, done: int, total: int, passed: float) -> bool:
        """Count anew; say whether others are counted now, as where `tune` tries what it chose."""
        are_others = passed < self.passed
        self.passed = passed
        self.text = f"{done // self.per_unit} of {-(-total // self.per_unit)} {self.unit}"
        return are_others


@contextmanager
def _bar(
    console: Console, label: str, counts: _Counts
) -> Iterator[Callable[[int, int, float], None]]:
    # Only here: a bar takes its time to import.
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None, count=counts.text)

        def tell(done: int, total: int, passed: float) -> None:
            if counts.hear(done, total, passed):
                bar.reset(task)
            bar.update(task, completed=passed, total=total, count=counts.text)

        yield tell


class _Lines:
    """A line now and then."""

    def __init__(self, label: str, counts: _Counts) -> None:
        self.label, self.counts = label, counts
        self.began = self.heard = self.printed = time.monotonic()

    def __call__(self, done: int, total: int, passed: float) -> None:
        now = time.monotonic()
        if self.counts.hear(done, total, passed):
            self.began = self.heard
        self.heard = now
        if now - self.printed < LINE_INTERVAL_S or passed == 0:
            return
        self.printed = now
        left = (now - self.began) / passed * (total - passed)
        print(f"{self.label}: {self.counts.text}, {left:.0f} s left", file=sys.stderr)
