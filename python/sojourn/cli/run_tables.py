"""What ``sojourn run`` prints for people: the links that matter, and the flows by name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from sojourn.cli.console import printer
from sojourn.cli.fitting import FittingTable
from sojourn.columns import (
    OF_FLOWS,
    OF_LINKS,
    OF_SO_MANY,
    Column,
    measured,
    metric_text,
    most_values,
    telling,
)
from sojourn.condensed import condensed
from sojourn.outcomes import Outcomes
from sojourn.summary import IntervalKind
from sojourn.wording import counted, in_full, short_names

Metrics = Mapping[str, Any]


def print_tables(
    outcomes: Outcomes, interval: IntervalKind = "student", *, all_links: bool = False
) -> None:
    """Print a table of the links and one of the flows: a row for each at every point."""
    console = printer()
    shown = condensed(outcomes, outcomes.tables, interval, all_links=all_links)
    points = shown.summary["points"]
    keys = short_names(outcomes.scenario.core.vary_keys)
    values = {key: names([point["vary"][key] for point in points]) for key in keys}
    labels = [[values[key][json.dumps(point["vary"][key])] for key in keys] for point in points]
    columns = telling(OF_LINKS, points, "links")
    links = _table(outcomes.scenario.title, [*keys.values(), "link"], columns, interval)
    for label, point in zip(labels, points, strict=True):
        for name, metrics in point["links"].items():
            links.add(label, name, metrics)
    flows = flow_table(points, [*keys.values()], labels, interval)
    if shown.hidden:
        more = counted(shown.hidden, "more link")
        links.shown.caption = f"{more} (--all-links): {shown.why_hidden}"
    flows.caption = _caption(outcomes, points, interval)
    for table in (links.shown, flows):
        table.print(console)


def flow_table(
    points: Sequence[Mapping[str, Any]],
    headings: list[str],
    labels: Sequence[list[str]],
    interval: IntervalKind = "student",
) -> FittingTable:
    """A table of the flows by name: a row for each at every point of a summary."""
    columns = telling(OF_FLOWS, points, "groups")
    flows = _table("", [*headings, "flows"], columns, interval)
    for label, point in zip(labels, points, strict=True):
        for name, metrics in measured(point, "groups").items():
            flows.add(label, name, metrics)
    return flows.shown


@dataclass
class _Rows:
    """A table that is being filled."""

    shown: FittingTable
    columns: dict[str, Column]
    interval: IntervalKind

    def add(self, label: list[str], name: str, metrics: Metrics) -> None:
        replicas = most_values(metrics)
        cells = [
            metric_text(metrics.get(key), how.factor, how.decimals, self.interval, replicas)
            for key, how in self.columns.items()
        ]
        self.shown.add([*label, name], cells)


def _table(
    title: str, names_: Iterable[str], columns: dict[str, Column], interval: IntervalKind
) -> _Rows:
    return _Rows(FittingTable(title, [*names_], [*columns.values()]), columns, interval)


def _caption(
    outcomes: Outcomes, points: Sequence[Mapping[str, Any]], interval: IntervalKind
) -> str | None:
    counts = Counter(outcomes.points).values()
    fewest, most = min(counts), max(counts)
    if most == 1:
        return None
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    if len(outcomes.alike) == len(counts):
        return f"{count} replicas, all the same run: no intervals"
    how = " ± half of the" if interval == "student" else ", with both ends of the bootstrap's"
    fewer = fewer_values([*point["links"].values(), *point["groups"].values()] for point in points)
    return f"mean over {count} replicas{how} 95 % interval{fewer}"


def fewer_values(rows: Iterable[Iterable[Metrics]]) -> str:
    """What a caption says where a mean of a table is one of fewer replicas than there are."""
    known = [*OF_LINKS, *OF_FLOWS]
    for row in chain.from_iterable(rows):
        counts = [row[key]["n"] for key in known if key in row]
        if any(0 < count < most_values(row) for count in counts):
            return OF_SO_MANY
    return ""


def names(values: list[Any]) -> dict[str, str]:
    """Name the values of a key: a table by what tells it from the others."""
    distinct = {json.dumps(value): value for value in values}
    tables = [value for value in distinct.values() if isinstance(value, dict)]
    words = [table.get("discipline", table.get("source")) for table in tables]
    by_word = len(set(words)) == len(distinct) and None not in words
    return {
        key: str(words[number]) if by_word else in_full(value)
        for number, (key, value) in enumerate(distinct.items())
    }
