"""From the tables of single runs to tidy polars frames."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
import polars as pl

from sojourn.metrics import METRICS
from sojourn.scenario import Scenario
from sojourn.tables import BY_REASON, Columns, stacked
from sojourn.workers.forks import note_process
from sojourn.workers.tasks import Outcome, Task

BATCH = 512
"""Runs that are stacked at once: so many are in memory as they come from the core."""

TYPES = {"point": pl.Int64, "replica": pl.Int64, "packets": pl.Int64}
TYPES |= dict.fromkeys(("link", "flow", "group", "kind", "reason"), pl.String)
"""The types of columns that hold no metric."""

METRICS_OF = {"links": ("link",), "flows": ("flow",)}
METRICS_OF |= dict.fromkeys(("groups", "total"), ("flow", "group"))
"""Whose metrics each table has."""

# Where polars was imported before numpy, it imports that when it is first given an array, and two
# threads that give it one at once may fail. This here one thread does.
pl.Series(np.empty(0))


def stack(scenario: Scenario, outcomes: Iterable[Outcome]) -> dict[str, pl.DataFrame]:
    """Stack the tables of all runs, in the order given, into one frame for each table."""
    batches = [part(scenario, batch, stacked(batch)) for batch in _batches(outcomes)]
    return joined(batches or [part(scenario, [], _of_no_run())])


def _of_no_run() -> dict[str, Columns]:
    """Tables without a row, with all columns that there may be."""
    tables: dict[str, Columns] = dict(stacked([]))
    for table, of in METRICS_OF.items():
        metrics = [metric.name for metric in METRICS if metric.of in of]
        measured = [name for name in metrics if name not in BY_REASON.values()]
        tables[table] = {**tables[table], **dict.fromkeys(measured, ())}
    return tables


def part(
    scenario: Scenario, outcomes: Sequence[Outcome], tables: Mapping[str, Columns]
) -> dict[str, pl.DataFrame]:
    """Frames of some runs, to be joined; ``tables`` are what `tables.stacked` made of them.

    What is NaN is null.
    """
    note_process()
    frames = {name: _frame(table) for name, table in tables.items()}
    frames["flows"] = _with_groups(frames["flows"], scenario)
    return frames | {
        "delays": _delays(outcomes),
        "series": _series(outcomes),
        "transfers": _transfers(outcomes, scenario),
    }


def joined(parts: Sequence[dict[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Join parts to one frame for each table; what a part does not have is null.

    Nothing is copied: the frames of a large sweep are not to be in memory twice.
    """
    return {
        name: pl.concat([part[name] for part in parts], how="diagonal", rechunk=False)
        for name in parts[0]
    }


def points_frame(scenario: Scenario) -> pl.DataFrame:
    """One row for each point: its number, and a column for each key that varies."""
    columns: dict[str, list[Any]] = {"point": []}
    for point, vary in enumerate(scenario.vary):
        columns["point"].append(point)
        for key, value in vary.items():
            label = json.dumps(value) if isinstance(value, (dict, list)) else value
            columns.setdefault(key, []).append(label)
    return pl.DataFrame(columns, strict=False)


def runs_frame(scenario: Scenario, tasks: Sequence[Task]) -> pl.DataFrame:
    """One row for each run: point, replica, seed, and where its measurements start."""
    seeds = {task.point: scenario.identity(task.point)["seed"] for task in tasks}
    columns = {
        "point": [task.point for task in tasks],
        "replica": [task.replica for task in tasks],
        "seed": [seeds[task.point] for task in tasks],
        "warmup_s": [_warmup_s(scenario, task) for task in tasks],
    }
    schema = {"point": pl.Int64, "replica": pl.Int64, "seed": pl.UInt64, "warmup_s": pl.Float64}
    return pl.DataFrame(columns, schema=schema)


def _warmup_s(scenario: Scenario, task: Task) -> float | None:
    if task.warmup is not None:
        return float(task.warmup.removesuffix(" s"))
    return scenario.core.warmup_s(task.point)


def _batches(outcomes: Iterable[Outcome]) -> Iterator[list[Outcome]]:
    rest = iter(outcomes)
    while batch := list(islice(rest, BATCH)):
        yield batch


def columns(frame: pl.DataFrame) -> Columns:
    """The columns of a frame in plain Python: numbers as arrays, undefined ones NaN."""
    note_process()
    numbers = frame.select(pl.col(pl.Float64)).fill_null(math.nan)
    return {
        series.name: array("d", numbers[series.name].to_numpy().tobytes())
        if series.dtype == pl.Float64
        else series.to_list()
        for series in frame
    }


def _frame(table: Columns) -> pl.DataFrame:
    """A frame of columns: numbers, or those of `TYPES`."""
    series = [
        pl.Series(name, values, dtype=TYPES[name])
        if name in TYPES
        else pl.Series(name, np.asarray(values), nan_to_null=True)
        for name, values in table.items()
    ]
    return pl.DataFrame(series)


def _with_groups(flows: pl.DataFrame, scenario: Scenario) -> pl.DataFrame:
    """Add each flow's group behind its name."""
    group_of = scenario.core.groups()
    groups = pl.Series("group", [group_of[flow] for flow in flows["flow"]], dtype=pl.String)
    return flows.insert_column(flows.columns.index("flow") + 1, groups)


def _delays(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    """How delays are distributed: a row for each share of the packets of each entity."""
    tables = [outcome.tables["delays"] for outcome in outcomes]
    rows = [len(each["name"]) for each in tables]
    shares = [len(each["share"]) for each in tables]
    cells = [n * m for n, m in zip(rows, shares, strict=True)]

    def spread(key: str) -> pl.Series:
        """Give every share of an entity its text."""
        texts = [text for each in tables for text in each[key]]
        return _repeated(pl.Series(key, texts, dtype=pl.String), np.repeat(shares, rows))

    def joined(arrays: list[np.ndarray]) -> np.ndarray:
        return np.concatenate(arrays) if arrays else np.empty(0)

    return pl.DataFrame(
        {
            "point": np.repeat([each.task.point for each in outcomes], cells).astype(np.int64),
            "replica": np.repeat([each.task.replica for each in outcomes], cells).astype(np.int64),
            "entity": spread("entity"),
            "name": spread("name"),
            "share": joined([np.tile(t["share"], n) for t, n in zip(tables, rows, strict=True)]),
            "delay_s": joined([each["delay_s"] for each in tables]),
        },
        nan_to_null=True,
    )


def _series(outcomes: Sequence[Outcome]) -> pl.DataFrame:
    series = [(outcome.task, each) for outcome in outcomes for each in outcome.tables["series"]]
    rows = [len(each["time_s"]) for _, each in series]

    places = _places(rows)

    def spread(values: list[Any], dtype: type[pl.DataType]) -> pl.Series:
        """Give every row of a series the same value."""
        return pl.Series(values, dtype=dtype)[places]

    def stacked(key: str) -> pl.Series:
        """Put the numbers of all series behind each other, in memory once more and not twice."""
        arrays = [each[key] for _, each in series]
        return pl.Series(np.concatenate(arrays) if arrays else np.empty(0), nan_to_null=True)

    return pl.DataFrame(
        {
            "point": spread([task.point for task, _ in series], pl.Int64),
            "replica": spread([task.replica for task, _ in series], pl.Int64),
            "entity": spread([each["entity"] for _, each in series], pl.String),
            "name": spread([each["name"] for _, each in series], pl.String),
            "metric": spread([each["metric"] for _, each in series], pl.String),
            "time_s": stacked("time_s"),
            "value": stacked("value"),
        }
    )


TRANSFERS = pl.Schema(
    {
        "point": pl.Int64,
        "replica": pl.Int64,
        "flow": pl.String,
        "group": pl.String,
        "began_s": pl.Float64,
        "size_bytes": pl.Int64,
        "fct_s": pl.Float64,
        "slowdown": pl.Float64,
    }
)
"""The table of transfers: its columns and their types."""


def no_transfers() -> pl.DataFrame:
    """The table of transfers where none were recorded."""
    return pl.DataFrame(schema=TRANSFERS)


def _transfers(outcomes: Sequence[Outcome], scenario: Scenario) -> pl.DataFrame:
    group_of = scenario.core.groups()
    parts = [no_transfers()]
    for outcome in outcomes:
        table = outcome.tables["transfers"]
        if not len(table["flow"]):
            continue
        names = pl.Series(table["flows"], dtype=pl.String)
        groups = pl.Series([group_of[name] for name in names], dtype=pl.String)
        places = pl.Series(np.asarray(table["flow"]))
        columns = {
            "point": pl.repeat(outcome.task.point, len(places), dtype=pl.Int64, eager=True),
            "replica": pl.repeat(outcome.task.replica, len(places), dtype=pl.Int64, eager=True),
            "flow": names[places],
            "group": groups[places],
        }
        for name in ("began_s", "size_bytes", "fct_s", "slowdown"):
            columns[name] = pl.Series(np.asarray(table[name]), nan_to_null=True)
        parts.append(pl.DataFrame(columns).cast(TRANSFERS))
    return pl.concat(parts, rechunk=False)


def _repeated(values: pl.Series, times: Sequence[int] | np.ndarray) -> pl.Series:
    """Each value so many times."""
    return values[_places(times)]


def _places(times: Sequence[int] | np.ndarray) -> pl.Series:
    """The place of each value so many times."""
    times = np.asarray(times, dtype=np.int64)
    return pl.Series(np.repeat(np.arange(len(times), dtype=np.uint32), times))
