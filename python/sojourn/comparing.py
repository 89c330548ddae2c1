"""Differences and ranks of the points of an experiment that answer the same question.

Points that differ in their queues and transports only are compared, replica by replica, under
common random numbers; see `experiments/cases.py` and `stats/`.
"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from sojourn.experiments.cases import answers, compared_points
from sojourn.experiments.quantity import Quantity
from sojourn.metrics import resolution
from sojourn.results import Results
from sojourn.stats.alike import sampled
from sojourn.stats.paired import compare_all
from sojourn.stats.ranking import Better, rank

LEAST = 0.01
"""A difference of at most this share of the larger value is not worth mentioning."""


def differences(
    results: Results, quantity: str, level: float = 0.95, least: float = LEAST
) -> pl.DataFrame:
    """Every pair of compared points: first less second, with Holm's correction.

    One row for each pair: ``first`` and ``second`` (points), ``mean``, ``low``, ``high``,
    ``p_value``, ``adjusted``, ``separated``. The correction covers the pairs of one question (one
    load, say); if you ask many questions at once, correct further. No pair separates with fewer
    than three replicas, or if it differs by ``least`` of the larger mean or less, or by less than
    percentiles resolve. An example of ``quantity`` is ``"links.bottleneck.queueing_delay_mean_s"``.
    """
    values = per_replica(results, quantity)
    rows = []
    for group in compared_points(results.scenario):
        of_group = {str(point): values[point] for point in group}
        for each in compare_all(of_group, level, max(least, resolution(quantity))):
            pair, interval = (int(each.first), int(each.second)), each.interval
            test = (each.p_value, each.adjusted, each.separated)
            rows.append((*pair, interval.mean, interval.low, interval.high, *test))
    schema = {"first": pl.Int64, "second": pl.Int64, "mean": pl.Float64, "low": pl.Float64}
    schema |= {"high": pl.Float64, "p_value": pl.Float64, "adjusted": pl.Float64}
    return pl.DataFrame(rows, schema=schema | {"separated": pl.Boolean}, orient="row")


def ranking(
    results: Results,
    quantity: str,
    better: Better,
    level: float = 0.95,
    least: float = LEAST,
) -> pl.DataFrame:
    """The rank of every point among those it is compared with.

    ``better`` says which values are good: ``"lower"`` or ``"higher"``. One row for each point:
    ``point``, ``answer`` (what is compared), ``mean``, ``low``, ``high``, ``rank``, ``grade``,
    ``ties`` (points from which it does not separate). A better rank is given only where the paired
    intervals, adjusted by Holm, separate, and by more than ``least``; a point without any value has
    none. Raises ValueError for another
    ``better``, and if the experiment has no such quantity.
    """
    values = per_replica(results, quantity)
    names = answers(results.scenario)
    rows = []
    for group in compared_points(results.scenario):
        of_group = {str(point): values[point] for point in group}
        ranks = rank(of_group, better, level, max(least, resolution(quantity)))
        for name, each in ranks.items():
            ties = [int(tie) for tie in each.ties]
            mean, low, high = each.interval.mean, each.interval.low, each.interval.high
            answer = names[int(name)]
            # What has no value is beaten by none.
            place = (each.rank, each.grade) if each.interval.n else (None, None)
            rows.append((int(name), answer, mean, low, high, *place, ties))
    schema = {"point": pl.Int64, "answer": pl.String, "mean": pl.Float64, "low": pl.Float64}
    schema |= {"high": pl.Float64, "rank": pl.Int64, "grade": pl.String}
    return pl.DataFrame(rows, schema=schema | {"ties": pl.List(pl.Int64)}, orient="row")


def per_replica(results: Results, quantity: str) -> dict[int, list[float | None]]:
    """The values of a quantity at each point, by replica; None where it is undefined.

    Points that are compared have the same replicas in the same places: one that a point has not
    finished is None there. Where all replicas are the same run the first alone has a value. Raises
    ValueError where the experiment has nothing like it.
    """
    wanted = Quantity.read(quantity, results.scenario)
    frame = results.frames()[wanted.table]
    if wanted.name:
        entity = wanted.table.removesuffix("s")
        frame = frame.filter(pl.col(entity) == wanted.name)
    rows = frame.sort("point", "replica")
    is_measured = wanted.metric in rows.columns
    found = rows[wanted.metric].to_list() if is_measured else [None] * len(rows)
    runs = zip(rows["point"].to_list(), rows["replica"].to_list(), strict=True)
    return by_replica(results, dict(zip(runs, found, strict=True)))


def by_replica(
    results: Results, found: Mapping[tuple[int, int], float | None]
) -> dict[int, list[float | None]]:
    """Values by point and replica as lists that can be paired; see `per_replica`.

    Points of which nothing was found have none.
    """
    replicas: dict[int, list[int]] = {n: [] for n in range(results.scenario.core.points)}
    for point, replica in found:
        replicas[point].append(replica)
    values: dict[int, list[float | None]] = {}
    for group in compared_points(results.scenario):
        places = sorted({replica for point in group for replica in replicas[point]})
        for point in group:
            if replicas[point] and point in results.alike:
                first = found[point, min(replicas[point])]
                values[point] = sampled([first] * len(places), True)
            else:
                values[point] = [found.get((point, replica)) for replica in places]
    return {point: values[point] for point in sorted(values)}
