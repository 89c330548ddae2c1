"""Points whose replicas are all the same run: nothing random happened there.

Many such replicas say what one says. An interval over them has no width and a test of them no
doubt, both for want of a sample: so they count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl


def alike(frames: Iterable[pl.DataFrame]) -> set[int]:
    """The points with several replicas that agree to the bit in every metric of all `frames`.

    A frame has a row for each ``point``, ``replica`` and entity.
    """
    found: set[int] | None = None
    for frame in frames:
        distinct = pl.struct(pl.exclude("point", "replica")).n_unique()
        replicas = pl.col("replica").n_unique()
        same = frame.group_by("point").agg(
            ((distinct * replicas == pl.len()) & (replicas > 1)).alias("same")
        )
        points = {int(point) for point, is_same in same.iter_rows() if is_same}
        found = points if found is None else found & points
    return found or set()


def sampled(values: Sequence[float | None], is_alike: bool) -> list[float | None]:
    """One value per replica, where the replicas are alike: the first, and no others."""
    return [*values[:1], *[None] * (len(values) - 1)] if is_alike else list(values)


def warnings(points: set[int], vary: Sequence[Mapping[str, object]]) -> list[str]:
    """Say of which points of a scenario the replicas do not differ, and what to do about it."""
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
    return [
        f"the replicas {where} do not differ: nothing random happens there, so there are no "
        'intervals and no tests; start = "uniform(0 s, 1 s)" of the flows would tell them apart'
    ]
