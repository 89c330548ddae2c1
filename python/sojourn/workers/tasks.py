"""One run of a scenario: which it is, and what came out of it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from sojourn._core import Tables

FIRST_PILOT = 1_000_000
"""Pilot replicas are numbered from here on, beyond every replica that is measured."""


@dataclass(frozen=True)
class Task:
    """One replica of one point; ``warmup`` and ``series``, with units, go before the scenario's."""

    point: int
    replica: int
    warmup: str | None = None
    series: str | None = None

    @property
    def is_pilot(self) -> bool:
        """Whether it only helps to choose the warm-up."""
        return self.replica >= FIRST_PILOT


Pack = Callable[[Tables], Any]
"""What is made of the tables of a run before they leave whoever carried it out."""


def unpacked(tables: Tables) -> Tables:
    """The tables as they are."""
    return tables


Finished = Generator[Sequence[tuple[Task, Any]], None, None]
"""Runs as they finish, each with what came out; now and then nothing, so that one can look up."""


@dataclass(frozen=True)
class Outcome:
    """What came out of a run."""

    task: Task
    tables: Tables
