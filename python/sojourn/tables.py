"""The tables of all runs, stacked to columns in plain Python.

A summary is made of them as they are, frames by `frames`: polars and NumPy take longer to import
than a short run takes.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sojourn.tasks import Outcome

KEYS = ("point", "replica", "link", "flow", "group")
"""Columns that say what a row is about; all others are metrics."""

BY_REASON = {"drop": "drops_by_reason", "mark": "marks_by_reason"}
"""What a queue's drops and its marks by reason are called, by what they are."""

ENTITIES = {"links": "link", "flows": "flow", "groups": "group", "total": None}
"""Table -> what its rows are about, besides point and replica."""

Columns = Mapping[str, Sequence[Any]]
"""Columns by name: lists, or arrays. What is undefined is None or NaN."""


def stacked(outcomes: Sequence[Outcome]) -> dict[str, dict[str, Sequence[Any]]]:
    """Stack the tables of runs, in the order given, but for delays and series."""
    tables = {table: _stacked(outcomes, table, entity) for table, entity in ENTITIES.items()}
    return tables | {"drops": _drops(outcomes)}


def rows_by(*keys: Iterable[Any]) -> dict[tuple[Any, ...], list[int]]:
    """The numbers of the rows that share their keys, in the order of their first rows."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        rows.setdefault(key, []).append(row)
    return rows


def _stacked(
    outcomes: Sequence[Outcome], table: str, entity: str | None
) -> dict[str, Sequence[Any]]:
    """Stack one table of all runs; what a run does not measure is undefined there."""
    tables = [(outcome.task, outcome.tables[table]) for outcome in outcomes]
    columns: dict[str, Sequence[Any]] = {
        "point": [task.point for task, rows in tables for _ in rows["name"]],
        "replica": [task.replica for task, rows in tables for _ in rows["name"]],
    }
    if entity is not None:
        columns[entity] = [name for _, rows in tables for name in rows["name"]]
    for metric in dict.fromkeys(key for _, rows in tables for key in rows if key != "name"):
        values = array("d")
        for _, rows in tables:
            values += rows[metric] if metric in rows else _undefined(len(rows["name"]))
        columns[metric] = values
    return columns


def _undefined(count: int) -> array[float]:
    return array("d", [math.nan]) * count


def _drops(outcomes: Sequence[Outcome]) -> dict[str, Sequence[Any]]:
    rows = [
        (outcome.task.point, outcome.task.replica, *row)
        for outcome in outcomes
        for row in outcome.tables["drops"]
    ]
    names = ("point", "replica", "link", "kind", "reason", "packets")
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}
