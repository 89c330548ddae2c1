"""The tables of all runs, stacked to columns of the standard library.

A summary is made of them as they are, frames by `frames`: polars and NumPy take longer to import
than a short run takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sojourn import _core
from sojourn.workers.tasks import Outcome

KEYS = ("point", "replica", "link", "flow", "group")
"""Columns that say what a row is about; all others are metrics."""

BY_REASON = {"drop": "drops_by_reason", "mark": "marks_by_reason"}
"""What a queue's drops and its marks by reason are called, by what they are."""

ENTITIES = {"links": "link", "flows": "flow", "groups": "group", "total": None}
"""Table -> what its rows are about, besides point and replica."""

Columns = Mapping[str, Sequence[Any]]
"""Columns by name: lists, or arrays. What is undefined is None or NaN."""


def stacked(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Sequence[Any]]]:
    """Stack the tables of runs, in the order given, but for delays and series.

    What a run does not measure is undefined there.
    """
    runs = [(each.task.point, each.task.replica, each.tables) for each in outcomes]
    return _core.stacked(runs, list(ENTITIES.items()))


def rows_by(*keys: Iterable[Any]) -> dict[tuple[Any, ...], list[int]]:
    """The numbers of the rows that share their keys, in the order of their first rows."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        rows.setdefault(key, []).append(row)
    return rows
