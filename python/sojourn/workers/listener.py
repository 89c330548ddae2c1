"""Listeners: they are told how far runs are, and what else the user should know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

Note = Callable[[str], None]
"""Is told what the user should know."""


class OnProgress(Protocol):
    """Is told how many runs are done."""

    def __call__(self, done: int, total: int, /) -> None:
        """``done`` of ``total`` runs are finished."""
        ...


@dataclass(frozen=True)
class FineProgress:
    """Is told about parts of runs too: ``done`` of ``total``, and how many if parts count."""

    tell: Callable[[int, int, float], None]

    def __call__(self, done: int, total: int, /) -> None:
        """``done`` of ``total`` are finished, and nothing is known about the others."""
        self.tell(done, total, done)


@dataclass(frozen=True)
class Listener:
    """Is told how far runs are, and passes this on to ``progress``, if there is one."""

    progress: OnProgress | None = None
    passed: Callable[[], float] = lambda: 0.0
    """How many have been carried out, counting parts of those in progress where they are known."""

    def finished(self, done: int, total: int) -> None:
        """Tell that another run has finished."""
        if isinstance(self.progress, FineProgress):
            self.progress.tell(done, total, max(done, self.passed()))
        elif self.progress is not None:
            self.progress(done, total)

    def under_way(self, done: int, total: int) -> None:
        """Tell that no run has finished meanwhile, if this is wanted."""
        if isinstance(self.progress, FineProgress):
            self.finished(done, total)


SILENT = Listener()
