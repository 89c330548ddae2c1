"""The summary of results over replicas: the document that ``sojourn run --json`` prints."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal

import orjson

from sojourn._core import single_summaries
from sojourn.stats.bootstrap import bootstrap_interval
from sojourn.stats.events import never_seen_bound
from sojourn.stats.intervals import Interval, defined, student_interval
from sojourn.tables import BY_REASON, ENTITIES, KEYS, Columns, rows_by

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
    summary = summarised(results, tables, interval)
    return summary | {"points": [orjson.loads(text) for text in summary["points"]]}


def summarised(
    results: Results | Outcomes, tables: Mapping[str, Columns], interval: IntervalKind
) -> dict[str, Any]:
    """The same, its points still an iterator of JSON texts: those of a large sweep are many."""
    vary = enumerate(results.scenario.vary)
    return headed(results, interval, summarised_points(vary, tables, interval, results.alike))


def headed(
    results: Results | Outcomes, interval: IntervalKind, points: Iterable[bytes]
) -> dict[str, Any]:
    """The same of points that are summarised already."""
    return {
        "sojourn": results.sojourn,
        "scenario": results.scenario.name,
        "seed": results.scenario.seed,
        "replicas": results.scenario.replicas,
        "complete": results.complete,
        "interval": interval,
        "points": points,
    }


def summarised_points(
    each: Iterable[tuple[int, Mapping[str, Any]]],
    tables: Mapping[str, Columns],
    interval: IntervalKind,
    alike: set[int],
) -> Iterator[bytes]:
    """Summarise points, each given by its number and what varies, as JSON texts.

    ``alike`` as in ``Results``.
    """
    summary = _Summary(INTERVALS[interval], alike)
    parts = {
        name: _Table(tables[name], entity, TRIALS["link" if entity == "link" else "flow"])
        for name, entity in ENTITIES.items()
    }
    reasons = summary.reasons(tables["drops"], tables["links"])
    none = orjson.dumps(_by_reason())
    for point, vary in each:
        entry: dict[str, Any] = {"vary": vary}
        for name, table in parts.items():
            texts = summary.entities(table, point)
            if name == "links":
                texts = {
                    link: _joined(text, reasons.get((point, link), none))
                    for link, text in texts.items()
                }
            entry[name] = {entity: orjson.Fragment(text) for entity, text in texts.items()}
        entry["total"] = entry["total"].get("", {})
        yield orjson.dumps(entry)


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


class _Table:
    """The metrics of a table, and where the rows of each entity are."""

    def __init__(self, table: Columns, entity: str | None, trials: str) -> None:
        self.metrics = {name: column for name, column in table.items() if name not in KEYS}
        for name, column in self.metrics.items():
            # No JSON holds it, and to leave it out would hide a fault.
            if math.inf in column or -math.inf in column:
                raise ValueError(f"{name} is infinite")
        self.trials = trials
        self.rows: dict[int, dict[str, list[int]]] = {}
        names = repeat("") if entity is None else table[entity]
        for row, (point, name) in enumerate(zip(table["point"], names, strict=False)):
            self.rows.setdefault(point, {}).setdefault(name, []).append(row)
        self.is_single = not any(table["replica"])

    @cached_property
    def singles(self) -> list[bytes]:
        """The summary of each row, where no entity has a second replica: nothing is estimated.

        Written by the core, since a sweep has millions of them.
        """
        trials = self.metrics[self.trials]
        bounds = array("d", [math.nan]) * len(trials)
        for row, loss in enumerate(self.metrics["loss_ratio"]):
            if loss == 0:
                bounds[row] = never_seen_bound(int(trials[row]))
        return single_summaries(
            [
                (name, _doubles(column), bounds if name == "loss_ratio" else None)
                for name, column in self.metrics.items()
            ]
        )


def _doubles(column: Sequence[float | None]) -> array[float]:
    """A column as the core takes it: what is undefined is NaN."""
    if isinstance(column, array):
        return column
    return array("d", [math.nan if value is None else value for value in column])


def _joined(text: bytes, more: bytes) -> bytes:
    """The text of an object with the members of two."""
    return b"%b,%b" % (text[:-1], more[1:])


def _by_reason() -> dict[str, dict[str, Any]]:
    """The drops and marks of a link by reason, before there are any: most links have none."""
    return {name: {} for name in BY_REASON.values()}


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

    def entities(self, table: _Table, point: int) -> dict[str, bytes]:
        """Summarise every metric of each entity of a table at a point, as JSON texts."""
        rows = table.rows.get(point, {})
        if table.is_single:
            return {name: table.singles[row] for name, (row,) in rows.items()}
        return {name: self._entity(table, point, each) for name, each in rows.items()}

    def _entity(self, table: _Table, point: int, rows: Sequence[int]) -> bytes:
        metrics = {
            metric: self.metric([column[row] for row in rows], point)
            for metric, column in table.metrics.items()
        }
        if (loss := metrics["loss_ratio"])["mean"] == 0:
            packets = table.metrics[table.trials]
            loss["upper95"] = never_seen_bound(
                int(math.fsum(defined(packets[row] for row in rows)))
            )
        return orjson.dumps(metrics)

    def reasons(self, drops: Columns, links: Columns) -> Mapping[tuple[int, str], bytes]:
        """Summarise drops and marks by reason, as JSON texts by point and link.

        A replica without any counts as zero. Of links with neither there is none.
        """
        replicas = Counter(point for point, _ in rows_by(links["point"], links["replica"]))
        packets = [float(count) for count in drops["packets"]]
        reasons: dict[tuple[int, str], dict[str, dict[str, Any]]] = {}
        keys = (drops[key] for key in ("point", "link", "kind", "reason"))
        for (point, link, kind, reason), rows in rows_by(*keys).items():
            counts = [packets[row] for row in rows]
            counts += [0.0] * (replicas[point] - len(counts))
            of_link = reasons.setdefault((point, link), _by_reason())
            of_link[BY_REASON[kind]][reason] = self.metric(counts, point)
        return {key: orjson.dumps(of_link) for key, of_link in reasons.items()}
