"""One run of a scenario: its identity and its results."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from sojourn._core import Tables

FIRST_PILOT = 1_000_000
"""Pilot replicas have numbers from here on, above those of all measured replicas."""


@dataclass(frozen=True)
class Task:
    """One replica of one point; ``warmup`` and ``series``, with units, override the scenario's."""

    point: int
    replica: int
    warmup: str | None = None
    series: str | None = None

    @property
    def is_pilot(self) -> bool:
        """Whether it only helps to choose the warm-up."""
        return self.replica >= FIRST_PILOT


Pack = Callable[[Tables], Any]
"""Makes something of the tables of a run, where the run was carried out."""


def unpacked(tables: Tables) -> Tables:
    """The tables as they are."""
    return tables


Finished = Generator[Sequence[tuple[Task, Any]], None, None]
"""Runs as they finish, each with its results; now and then none, so that the caller can look up."""


@dataclass(frozen=True)
class Outcome:
    """The results of a run."""

    task: Task
    tables: Tables
