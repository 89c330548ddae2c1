"""The summary of results over replicas: the document that ``sojourn run --json`` prints."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from sojourn.stats.bootstrap import bootstrap_interval
from sojourn.stats.events import never_seen_bound
from sojourn.stats.intervals import Interval, defined, student_interval
from sojourn.tables import KEYS, Columns, rows_by

if TYPE_CHECKING:
    from sojourn.outcomes import Outcomes
    from sojourn.results import Results

IntervalKind = Literal["student", "bootstrap"]
"""Student's interval, or the bootstrap's (BCa)."""

INTERVALS: dict[IntervalKind, Callable[[Sequence[float | None]], Interval]] = {
    "student": student_interval,
    "bootstrap": bootstrap_interval,
}

HARDLY = 0.1
"""A link whose packets wait less than this share of what they wait elsewhere matters little."""

TRIALS = {"link": "arrivals_packets", "flow": "sent_packets"}
"""What a loss is one of."""


def summarise(
    results: Results | Outcomes, tables: Mapping[str, Columns], interval: IntervalKind
) -> dict[str, Any]:
    """Summarise every metric of their tables as ``{"mean", "ci95", "n"}`` over the replicas.

    ``ci95`` is null for one replica, and where all replicas are the same run; ``mean`` null where
    undefined, ``n`` replicas in which it is defined. A loss ratio of zero in all replicas also has
    ``upper95``, the bound that so many packets without a loss allow.
    """
    summary = _Summary(INTERVALS[interval], results.alike)
    parts = {
        "links": summary.by_entity(tables["links"], "link", TRIALS["link"]),
        "flows": summary.by_entity(tables["flows"], "flow", TRIALS["flow"]),
        "groups": summary.by_entity(tables["groups"], "group", TRIALS["flow"]),
    }
    totals = summary.by_point(tables["total"])
    reasons = summary.reasons(tables["drops"], tables["links"])
    points = []
    for point, vary in enumerate(results.scenario.vary):
        entry: dict[str, Any] = {"vary": vary}
        for name, entities in parts.items():
            entry[name] = entities.get(point, {})
        for link, metrics in entry["links"].items():
            metrics["drops_by_reason"] = reasons.get((point, link, "drop"), {})
            metrics["marks_by_reason"] = reasons.get((point, link, "mark"), {})
        entry["total"] = totals.get(point, {})
        points.append(entry)
    return {
        "sojourn": results.sojourn,
        "scenario": results.scenario.name,
        "seed": results.scenario.seed,
        "replicas": results.scenario.replicas,
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
        if len(values) == 1:
            # A sweep has millions of these, and nothing to estimate.
            mean = next(iter(defined(values)), None)
            return {"mean": mean, "ci95": None, "n": int(mean is not None)}
        interval = self._interval(values)
        known = interval.low is not None and point not in self._alike
        ci95 = [interval.low, interval.high] if known else None
        return {"mean": interval.mean, "ci95": ci95, "n": interval.n}

    def metrics(
        self, table: Columns, keys: Sequence[str], trials: str
    ) -> dict[tuple[Any, ...], dict[str, Any]]:
        """Summarise every metric of the rows that share their ``keys``, the point first."""
        groups = rows_by(*(table[key] for key in keys))
        found: dict[tuple[Any, ...], dict[str, Any]] = {key: {} for key in groups}
        for name, column in table.items():
            if name not in KEYS:
                values = list(column)
                for key, rows in groups.items():
                    found[key][name] = self.metric([values[row] for row in rows], key[0])
        if any(metrics["loss_ratio"]["mean"] == 0 for metrics in found.values()):
            packets = list(table[trials])
            for key, rows in groups.items():
                if (loss := found[key]["loss_ratio"])["mean"] == 0:
                    sent = math.fsum(defined(packets[row] for row in rows))
                    loss["upper95"] = never_seen_bound(int(sent))
        return found

    def by_entity(self, table: Columns, entity: str, trials: str) -> dict[int, dict[str, Any]]:
        """Summarise the metrics of each entity at each point."""
        points: dict[int, dict[str, Any]] = {}
        for (point, name), metrics in self.metrics(table, ("point", entity), trials).items():
            points.setdefault(point, {})[name] = metrics
        return points

    def by_point(self, table: Columns) -> dict[int, dict[str, Any]]:
        """Summarise the metrics of each point."""
        found = self.metrics(table, ("point",), TRIALS["flow"])
        return {point: metrics for (point,), metrics in found.items()}

    def reasons(
        self, drops: Columns, links: Columns
    ) -> Mapping[tuple[int, str, str], dict[str, Any]]:
        """Summarise drops and marks by reason; a replica without any counts as zero."""
        replicas = Counter(point for point, _ in rows_by(links["point"], links["replica"]))
        packets = [float(count) for count in drops["packets"]]
        reasons: dict[tuple[int, str, str], dict[str, Any]] = {}
        keys = (drops[key] for key in ("point", "link", "kind", "reason"))
        for (point, link, kind, reason), rows in rows_by(*keys).items():
            counts = [packets[row] for row in rows]
            counts += [0.0] * (replicas[point] - len(counts))
            reasons.setdefault((point, link, kind), {})[reason] = self.metric(counts, point)
        return reasons
