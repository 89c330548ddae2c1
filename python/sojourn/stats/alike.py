"""Points whose replicas are all the same run: nothing random happened there.

Many such replicas say what one says. An interval over them has no width and a test of them no
doubt, both for want of a sample: so they count as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sojourn.tables import Columns, rows_by


def alike(tables: Iterable[Columns]) -> set[int]:
    """The points with several replicas that agree to the bit in every metric of all `tables`.

    A table has a row for each ``point``, ``replica`` and entity.
    """
    found: set[int] | None = None
    for table in tables:
        points = _alike(table)
        found = points if found is None else found & points
        if not found:
            break
    return found or set()


def _alike(table: Columns) -> set[int]:
    if not any(table["replica"]):
        # The first replica of each point is all that most sweeps have.
        return set()
    replicas: dict[int, list[list[int]]] = {}
    for (point, _), rows in rows_by(table["point"], table["replica"]).items():
        replicas.setdefault(point, []).append(rows)
    points = {point for point, runs in replicas.items() if len(runs) > 1}
    for name, column in table.items():
        if points and name not in ("point", "replica"):
            values = list(column)
            points = {point for point in points if _agree(values, replicas[point])}
    return points


def _agree(values: Sequence[Any], runs: Iterable[Sequence[int]]) -> bool:
    """Whether all runs have the same values; looks no further than the first other."""
    each = ([_known(values[row]) for row in rows] for rows in runs)
    first = next(each)
    return all(other == first for other in each)


def _known(value: Any) -> Any:
    """The value, and None where it is undefined: NaN is not even equal to itself."""
    return None if isinstance(value, float) and math.isnan(value) else value


def sampled(values: Sequence[float | None], is_alike: bool) -> list[float | None]:
    """One value per replica, where the replicas are alike: the first, and no others."""
    return [*values[:1], *[None] * (len(values) - 1)] if is_alike else list(values)


REMEDY = 'start = "uniform(0 s, 1 s)" of the flows would tell them apart'
"""What one may do about it in a scenario file."""

NOT_DIFFERENT = (
    "do not differ: nothing random happens there, so there are no intervals and no tests; " + REMEDY
)
"""What is said of the replicas at such points, and what to do about it."""


def warnings(points: set[int], vary: Sequence[Mapping[str, object]]) -> list[str]:
    """Say of which points of a scenario the replicas do not differ."""
    if not points:
        return []
    if len(points) == len(vary) > 1:
        where = "at any point"
    else:
        numbers = [str(point) for point in sorted(points)]
        few = numbers if len(numbers) < 7 else [*numbers[:5], f"{len(numbers) - 5} more"]
        where = f"at point {few[0]}"
        if len(few) > 1:
            where = f"at points {', '.join(few[:-1])} and {few[-1]}"
    return [f"the replicas {where} {NOT_DIFFERENT}"]
