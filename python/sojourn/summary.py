"""The summary of results over replicas: the document that ``sojourn run --json`` prints."""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING, Any, Literal

import orjson

from sojourn._core import __version__, single_summaries
from sojourn.errors.brief import InputError
from sojourn.errors.nearest import refusal
from sojourn.stats.alike import sampled
from sojourn.stats.bootstrap import bootstrap_interval
from sojourn.stats.intervals import Interval, defined, student_interval
from sojourn.stats.proportions import never_seen_bound, never_seen_bounds
from sojourn.tables import BY_REASON, ENTITIES, KEYS, Columns, rows_by

if TYPE_CHECKING:
    from sojourn.outcomes import Outcomes
    from sojourn.results import Results
    from sojourn.scenario import Scenario

IntervalKind = Literal["student", "bootstrap"]
"""Student's interval, or the bootstrap's (BCa)."""

Head = Mapping[str, str | int]
"""What stands before the points of a summary."""

INTERVALS: dict[IntervalKind, Callable[[Sequence[float | None]], Interval]] = {
    "student": student_interval,
    "bootstrap": bootstrap_interval,
}

TRIALS = {"link": "arrivals_packets", "flow": "resolved_packets"}
"""What a loss is one of: of a packet that is still on its way nothing is known."""


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
    points = summarised_points(vary, tables, interval, results.alike)
    head = head_of(
        results.scenario, sojourn=results.sojourn, complete=results.complete, interval=interval
    )
    return {**head, "points": points}


def head_of(
    scenario: Scenario,
    *,
    complete: bool,
    interval: IntervalKind = "student",
    sojourn: str = __version__,
) -> Head:
    """What stands before the points of a summary."""
    return {
        "sojourn": sojourn,
        "scenario": scenario.name,
        "seed": scenario.seed,
        "replicas": scenario.replicas,
        "complete": complete,
        "interval": interval,
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
    if interval not in INTERVALS:
        raise InputError(f"interval: {refusal(str(interval), INTERVALS)}")
    metric = _Metric(INTERVALS[interval], alike)
    links = tables["links"]
    reasons = _reasons(tables["drops"], links, metric)
    none = _members(_by_reason())
    more = [reasons.get(key, none) for key in zip(links["point"], links["link"], strict=True)]
    summaries: dict[str, _Singles | _Replicas] = {}
    for name, entity in ENTITIES.items():
        table = _Table(tables[name], entity, more if name == "links" else None)
        summaries[name] = _Singles(table) if table.is_single else _Replicas(table, metric)
    for point, vary in each:
        entry: dict[str, Any] = {"vary": vary}
        entry |= {name: orjson.Fragment(of.point(point)) for name, of in summaries.items()}
        yield orjson.dumps(entry)


@dataclass(frozen=True)
class _Table:
    """A table, what its rows are about, and for each of them the text of further members."""

    columns: Columns
    entity: str | None
    more: list[bytes] | None

    @property
    def is_single(self) -> bool:
        """Whether no entity has a second replica: nothing is estimated."""
        return not any(self.columns["replica"])

    @property
    def metrics(self) -> dict[str, Sequence[Any]]:
        """The columns that are metrics."""
        return {name: column for name, column in self.columns.items() if name not in KEYS}

    @property
    def trials(self) -> Sequence[Any]:
        """What each loss is one of; without any run there is no such column."""
        return self.columns.get(TRIALS["link" if self.entity == "link" else "flow"], ())


class _Singles:
    """Summaries of points of one replica. The core writes them: a sweep has millions of numbers."""

    def __init__(self, table: _Table) -> None:
        metrics = table.metrics
        if not table.columns["point"]:
            # An empty array may lie where no number could, which the core does not take.
            self._texts: dict[int, bytes] = {}
            return
        bounds = never_seen_bounds(metrics.get("loss_ratio", ()), table.trials)
        texts = single_summaries(
            list(table.columns["point"]),
            None if table.entity is None else list(table.columns[table.entity]),
            [
                (name, _doubles(column), bounds if name == "loss_ratio" else None)
                for name, column in metrics.items()
            ],
            table.more,
        )
        self._texts = dict(texts)

    def point(self, point: int) -> bytes:
        """What is said of a point."""
        return self._texts.get(point, b"{}")


def _doubles(column: Sequence[float | None]) -> array[float]:
    """A column as the core takes it: what is undefined is NaN."""
    if isinstance(column, array):
        return column
    return array("d", [math.nan if value is None else value for value in column])


@dataclass(frozen=True)
class _Metric:
    """Summarises one metric over the replicas of a point, with one kind of interval."""

    interval: Callable[[Sequence[float | None]], Interval]
    alike: set[int]

    def __call__(self, values: Sequence[float | None], point: int) -> dict[str, Any]:
        """Its ``{"mean", "ci95", "n"}``."""
        interval = self.interval(values)
        known = interval.low is not None and point not in self.alike
        ci95 = [interval.low, interval.high] if known else None
        return {"mean": interval.mean, "ci95": ci95, "n": interval.n}


class _Replicas:
    """Summaries over replicas, of one point at a time."""

    def __init__(self, table: _Table, metric: _Metric) -> None:
        self._table = table
        self._metric = metric
        self._metrics = table.metrics
        for name, column in self._metrics.items():
            # No JSON holds it, and to leave it out would hide a fault.
            if math.inf in column or -math.inf in column:
                raise ValueError(f"{name} is infinite")
        self._rows: dict[int, dict[str, list[int]]] = {}
        names = repeat("") if table.entity is None else table.columns[table.entity]
        for row, (point, name) in enumerate(zip(table.columns["point"], names, strict=False)):
            self._rows.setdefault(point, {}).setdefault(name, []).append(row)

    def point(self, point: int) -> bytes:
        """What is said of a point."""
        rows = self._rows.get(point, {})
        texts = {name: self._entity(point, each) for name, each in rows.items()}
        if self._table.entity is None:
            return texts.get("", b"{}")
        return orjson.dumps({name: orjson.Fragment(text) for name, text in texts.items()})

    def _entity(self, point: int, rows: Sequence[int]) -> bytes:
        metrics = {
            name: self._metric([column[row] for row in rows], point)
            for name, column in self._metrics.items()
        }
        if (loss := metrics["loss_ratio"])["mean"] == 0:
            packets = [self._table.trials[row] for row in rows]
            # Replicas that are the same run saw the same packets: these count once.
            seen = defined(sampled(packets, point in self._metric.alike))
            loss["upper95"] = never_seen_bound(int(math.fsum(seen)))
        if self._table.more is None:
            return orjson.dumps(metrics)
        return b"{%b,%b}" % (_members(metrics), self._table.more[rows[0]])


def _members(document: Mapping[str, Any]) -> bytes:
    """The text of an object without its braces."""
    return orjson.dumps(document)[1:-1]


def _by_reason() -> dict[str, dict[str, Any]]:
    """The drops and marks of a link by reason, before there are any: most links have none."""
    return {name: {} for name in BY_REASON.values()}


def _reasons(drops: Columns, links: Columns, metric: _Metric) -> Mapping[tuple[int, str], bytes]:
    """Summarise drops and marks by reason, as the texts of members by point and link.

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
        of_link[BY_REASON[kind]][reason] = metric(counts, point)
    return {key: _members(of_link) for key, of_link in reasons.items()}
