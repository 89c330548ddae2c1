"""The summary of results over replicas: the document that ``sojourn run --json`` prints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from sojourn.results import KEYS, IntervalKind, Results
from sojourn.stats.bootstrap import bootstrap_interval
from sojourn.stats.events import never_seen_bound
from sojourn.stats.intervals import Interval, student_interval

INTERVALS: dict[IntervalKind, Callable[[Sequence[float | None]], Interval]] = {
    "student": student_interval,
    "bootstrap": bootstrap_interval,
}

HARDLY = 0.1
"""A link whose packets wait less than this share of what they wait elsewhere matters little."""

TRIALS = {"link": "arrivals_packets", "flow": "sent_packets"}
"""What a loss is one of."""


def summarise(results: Results, interval: IntervalKind) -> dict[str, Any]:
    """Summarise every metric as ``{"mean", "ci95", "n"}`` over the replicas.

    ``ci95`` is null for one replica, and where all replicas are the same run; ``mean`` null where
    undefined, ``n`` replicas in which it is defined. A loss ratio of zero in all replicas also has
    ``upper95``, the bound that so many packets without a loss allow.
    """
    summary = _Summary(INTERVALS[interval], results.alike)
    frames = {
        "links": summary.by_entity(results.links, "link", TRIALS["link"]),
        "flows": summary.by_entity(results.flows, "flow", TRIALS["flow"]),
        "groups": summary.by_entity(results.groups, "group", TRIALS["flow"]),
    }
    totals = summary.by_point(results.totals)
    reasons = summary.reasons(results.drops, results.links)
    points = []
    for point, vary in enumerate(results.scenario.vary):
        entry: dict[str, Any] = {"vary": vary}
        for name, entities in frames.items():
            entry[name] = entities.get(point, {})
        for link, metrics in entry["links"].items():
            metrics["drops_by_reason"] = reasons.get((point, link, "drop"), {})
            metrics["marks_by_reason"] = reasons.get((point, link, "mark"), {})
        entry["total"] = totals.get(point, {})
        points.append(entry)
    return {
        "sojourn": results.sojourn,
        "scenario": results.scenario.name,
        "seed": results.seed,
        "replicas": results.replicas,
        "complete": results.complete,
        "interval": interval,
        "points": points,
    }


def links_that_matter(points: Sequence[Mapping[str, Any]]) -> tuple[set[str], set[str]]:
    """The links of a summary that any packet came to, and those of them worth a row of a table.

    These lose packets, or let them wait for more than `HARDLY`, at any point; all, if none does.
    """
    lossy: set[str] = set()
    waits: dict[str, float] = {}
    for point in points:
        for name, metrics in point["links"].items():
            if not metrics["arrivals_packets"]["mean"]:
                continue
            wait = metrics["queueing_delay_mean_s"]["mean"] or 0.0
            waits[name] = max(waits.get(name, 0.0), wait)
            if metrics["drops_packets"]["mean"]:
                lossy.add(name)
    least = HARDLY * max(waits.values(), default=0.0)
    return set(waits), lossy | {name for name, wait in waits.items() if wait > least} or set(waits)


def metric_text(metric: Mapping[str, Any] | None, factor: float, decimals: int) -> str:
    """A metric of a summary for people: its mean, and ± half of its interval where it has one."""
    if metric is None or metric["mean"] is None:
        return "-"
    text = f"{metric['mean'] * factor:.{decimals}f}"
    if metric["ci95"] is not None:
        half = (metric["ci95"][1] - metric["ci95"][0]) / 2
        text += f" ± {half * factor:.{decimals}f}"
    return text


class _Summary:
    """Summaries with one kind of interval."""

    def __init__(
        self, interval: Callable[[Sequence[float | None]], Interval], alike: set[int]
    ) -> None:
        self._interval = interval
        self._alike = alike

    def metric(self, values: Sequence[float | None], point: int) -> dict[str, Any]:
        """Summarise one metric over the replicas of a point."""
        interval = self._interval(values)
        known = interval.low is not None and point not in self._alike
        ci95 = [interval.low, interval.high] if known else None
        return {"mean": interval.mean, "ci95": ci95, "n": interval.n}

    def metrics(self, frame: pl.DataFrame, point: int, trials: str) -> dict[str, Any]:
        """Summarise every metric of the rows of one entity at a point."""
        names = [name for name in frame.columns if name not in KEYS]
        metrics = {name: self.metric(frame[name].to_list(), point) for name in names}
        if metrics["loss_ratio"]["mean"] == 0:
            packets = math.fsum(value or 0 for value in frame[trials])
            metrics["loss_ratio"]["upper95"] = never_seen_bound(int(packets))
        return metrics

    def by_entity(self, frame: pl.DataFrame, entity: str, trials: str) -> dict[int, dict[str, Any]]:
        """Summarise the metrics of each entity at each point."""
        points: dict[int, dict[str, Any]] = {}
        for key, rows in frame.group_by("point", entity, maintain_order=True):
            point, name = int(str(key[0])), str(key[1])
            points.setdefault(point, {})[name] = self.metrics(rows, point, trials)
        return points

    def by_point(self, frame: pl.DataFrame) -> dict[int, dict[str, Any]]:
        """Summarise the metrics of each point."""
        groups = frame.group_by("point", maintain_order=True)
        points = ((int(str(key[0])), rows) for key, rows in groups)
        return {point: self.metrics(rows, point, TRIALS["flow"]) for point, rows in points}

    def reasons(
        self, drops: pl.DataFrame, links: pl.DataFrame
    ) -> Mapping[tuple[int, str, str], dict[str, Any]]:
        """Summarise drops and marks by reason; a replica without any counts as zero."""
        replicas: dict[int, int] = {}
        if not links.is_empty():
            counted = links.group_by("point").agg(pl.col("replica").n_unique())
            replicas = {int(point): int(n) for point, n in counted.iter_rows()}
        reasons: dict[tuple[int, str, str], dict[str, Any]] = {}
        groups = drops.group_by("point", "link", "kind", "reason", maintain_order=True)
        for key, rows in groups:
            point, link, kind, reason = int(str(key[0])), *map(str, key[1:])
            counts: list[float | None] = [float(packets) for packets in rows["packets"]]
            counts += [0.0] * (replicas[point] - len(counts))
            reasons.setdefault((point, link, kind), {})[reason] = self.metric(counts, point)
        return reasons
