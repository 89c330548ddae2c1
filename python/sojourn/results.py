"""Results: tidy polars frames, and their summary over replicas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sojourn import _core
from sojourn.scenario import Scenario
from sojourn.stats.intervals import student_interval

KEYS = ("point", "replica", "link", "flow", "group")
"""Columns that say what a row is about; all others are metrics."""


@dataclass(frozen=True)
class Outcome:
    """The tables of one replica of one point, as the core returns them."""

    point: int
    replica: int
    tables: dict[str, Any]


@dataclass(frozen=True)
class Results:
    """The frames of a run, one row for each point, replica and entity; undefined values are null.

    - ``points``: ``point`` and a column for each key that varies
    - ``links``, ``flows``, ``groups``, ``totals``: the metrics, their unit in the name
    - ``drops``: packets dropped or marked by link and reason
    - ``series``: ``entity``, ``name``, ``metric``, ``time_s``, ``value``
    """

    scenario: Scenario
    points: pl.DataFrame
    links: pl.DataFrame
    flows: pl.DataFrame
    groups: pl.DataFrame
    totals: pl.DataFrame
    drops: pl.DataFrame
    time_series: pl.DataFrame
    complete: bool = True
    sojourn: str = field(default=_core.__version__)

    @property
    def seed(self) -> int:
        """The seed of all random streams."""
        return self.scenario.seed

    @property
    def replicas(self) -> int:
        """How many replicas each point was to have."""
        return self.scenario.replicas

    def series(self, metric: str) -> pl.DataFrame:
        """Return the time series of one metric, such as ``queue_packets``."""
        return self.time_series.filter(pl.col("metric") == metric)

    def summary(self) -> dict[str, Any]:
        """Return the document that ``sojourn run --json`` prints.

        Every metric is ``{"mean", "ci95", "n"}`` over the replicas: Student's interval, null for
        one replica; ``mean`` null where undefined, ``n`` replicas in which it is defined.
        """
        frames = {
            "links": _by_entity(self.links, "link"),
            "flows": _by_entity(self.flows, "flow"),
            "groups": _by_entity(self.groups, "group"),
        }
        totals = _by_point(self.totals)
        reasons = _reasons(self.drops, self.links)
        points = []
        for point, vary in enumerate(self.scenario.vary):
            entry: dict[str, Any] = {"vary": vary}
            for name, entities in frames.items():
                entry[name] = entities.get(point, {})
            for link, metrics in entry["links"].items():
                metrics["drops_by_reason"] = reasons.get((point, link, "drop"), {})
                metrics["marks_by_reason"] = reasons.get((point, link, "mark"), {})
            entry["total"] = totals.get(point, {})
            points.append(entry)
        return {
            "sojourn": self.sojourn,
            "scenario": self.scenario.name,
            "seed": self.seed,
            "replicas": self.replicas,
            "complete": self.complete,
            "points": points,
        }

    def write(self, folder: Path) -> list[Path]:
        """Write every frame as Parquet, the scenario and the summary; return the paths."""
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        frames = {
            "points": self.points,
            "links": self.links,
            "flows": self.flows,
            "groups": self.groups,
            "totals": self.totals,
            "drops": self.drops,
            "series": self.time_series,
        }
        for name, frame in frames.items():
            if name != "series" or not frame.is_empty():
                path = folder / f"{name}.parquet"
                frame.write_parquet(path)
                written.append(path)
        (folder / "scenario.toml").write_text(self.scenario.text, encoding="utf-8")
        document = json.dumps(self.summary(), indent=1) + "\n"
        (folder / "summary.json").write_text(document, encoding="utf-8")
        return [*written, folder / "scenario.toml", folder / "summary.json"]


def collect(scenario: Scenario, outcomes: Sequence[Outcome], *, complete: bool) -> Results:
    """Put the outcomes of all runs together, in the order of points and replicas."""
    ordered = sorted(outcomes, key=lambda outcome: (outcome.point, outcome.replica))
    return Results(
        scenario=scenario,
        points=_points(scenario),
        links=_frame(ordered, "links", "link"),
        flows=_with_groups(_frame(ordered, "flows", "flow"), scenario),
        groups=_frame(ordered, "groups", "group"),
        totals=_frame(ordered, "total", None),
        drops=_drops(ordered),
        time_series=_series(ordered),
        complete=complete,
    )


def _points(scenario: Scenario) -> pl.DataFrame:
    columns: dict[str, list[Any]] = {"point": []}
    for point, vary in enumerate(scenario.vary):
        columns["point"].append(point)
        for key, value in vary.items():
            label = json.dumps(value) if isinstance(value, (dict, list)) else value
            columns.setdefault(key, []).append(label)
    return pl.DataFrame(columns, strict=False)


def _frame(outcomes: Sequence[Outcome], table: str, entity: str | None) -> pl.DataFrame:
    """Stack one table of all outcomes."""
    tables = [outcome.tables[table] for outcome in outcomes]
    rows = [len(each["name"]) for each in tables]
    columns = {
        "point": np.repeat([outcome.point for outcome in outcomes], rows).astype(np.int64),
        "replica": np.repeat([outcome.replica for outcome in outcomes], rows).astype(np.int64),
    }
    frame = pl.DataFrame(columns)
    if entity is not None:
        names = [name for each in tables for name in each["name"]]
        frame = frame.with_columns(pl.Series(entity, names, dtype=pl.String))
    metrics = [key for key in tables[0] if key != "name"] if tables else []
    values = {metric: np.concatenate([each[metric] for each in tables]) for metric in metrics}
    return frame.hstack(pl.DataFrame(values)).with_columns(pl.selectors.float().fill_nan(None))


def _with_groups(flows: pl.DataFrame, scenario: Scenario) -> pl.DataFrame:
    """Add each flow's group behind its name."""
    group_of = {}
    for point in range(scenario.core.points):
        group_of.update(dict(scenario.core.flows(point)))
    groups = pl.Series("group", [group_of[flow] for flow in flows["flow"]], dtype=pl.String)
    return flows.insert_column(flows.columns.index("flow") + 1, groups)


def _drops(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    rows = [
        (outcome.point, outcome.replica, *row)
        for outcome in outcomes
        for row in outcome.tables["drops"]
    ]
    schema = {
        "point": pl.Int64,
        "replica": pl.Int64,
        "link": pl.String,
        "kind": pl.String,
        "reason": pl.String,
        "packets": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    series = [(outcome, each) for outcome in outcomes for each in outcome.tables["series"]]
    rows = [len(each["time_s"]) for _, each in series]

    def spread(values: list[Any], dtype: type[pl.DataType]) -> pl.Series:
        """Give every row of a series the same value."""
        return pl.Series(values, dtype=dtype).gather(np.repeat(np.arange(len(rows)), rows))

    def stacked(key: str) -> np.ndarray:
        return np.concatenate([each[key] for _, each in series]) if series else np.empty(0)

    frame = pl.DataFrame(
        {
            "point": spread([outcome.point for outcome, _ in series], pl.Int64),
            "replica": spread([outcome.replica for outcome, _ in series], pl.Int64),
            "entity": spread([each["entity"] for _, each in series], pl.String),
            "name": spread([each["name"] for _, each in series], pl.String),
            "metric": spread([each["metric"] for _, each in series], pl.String),
            "time_s": stacked("time_s"),
            "value": stacked("value"),
        }
    )
    return frame.with_columns(pl.col("value").fill_nan(None))


def _metric(values: Sequence[float | None]) -> dict[str, Any]:
    """Summarise one metric over replicas."""
    interval = student_interval(values)
    known = interval.low is not None and interval.high is not None
    ci95 = [interval.low, interval.high] if known else None
    return {"mean": interval.mean, "ci95": ci95, "n": interval.n}


def _metrics(frame: pl.DataFrame) -> dict[str, Any]:
    """Summarise every metric of the rows of one entity."""
    return {name: _metric(frame[name].to_list()) for name in frame.columns if name not in KEYS}


def _by_entity(frame: pl.DataFrame, entity: str) -> dict[int, dict[str, Any]]:
    points: dict[int, dict[str, Any]] = {}
    for key, rows in frame.group_by("point", entity, maintain_order=True):
        point, name = key
        points.setdefault(int(str(point)), {})[str(name)] = _metrics(rows)
    return points


def _by_point(frame: pl.DataFrame) -> dict[int, dict[str, Any]]:
    groups = frame.group_by("point", maintain_order=True)
    return {int(str(key[0])): _metrics(rows) for key, rows in groups}


def _reasons(
    drops: pl.DataFrame, links: pl.DataFrame
) -> Mapping[tuple[int, str, str], dict[str, Any]]:
    """Summarise drops and marks by reason; a replica without any counts as zero."""
    replicas: dict[int, int] = {}
    if not links.is_empty():
        counted = links.group_by("point").agg(pl.col("replica").n_unique())
        replicas = {int(point): int(n) for point, n in counted.iter_rows()}
    reasons: dict[tuple[int, str, str], dict[str, Any]] = {}
    groups = drops.group_by("point", "link", "kind", "reason", maintain_order=True)
    for key, rows in groups:
        point, link, kind, reason = key
        counts: list[float | None] = [float(packets) for packets in rows["packets"]]
        counts += [0.0] * (replicas[int(str(point))] - len(counts))
        entry = reasons.setdefault((int(str(point)), str(link), str(kind)), {})
        entry[str(reason)] = _metric(counts)
    return reasons
