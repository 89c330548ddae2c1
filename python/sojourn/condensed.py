"""What people are shown of a network: the links that matter, and the flows by name.

A network may have hundreds of thousands of links and flows, and to summarise all of them takes
longer than to run it. So these are chosen from the tables of the runs.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING, Any

from sojourn.stats.intervals import defined
from sojourn.summary import IntervalKind, summarise
from sojourn.tables import Columns, rows_by

if TYPE_CHECKING:
    from sojourn.outcomes import Outcomes
    from sojourn.results import Results

HARDLY = 0.1
"""A link whose packets wait less than this share of what they wait elsewhere matters little, if
less than one waits there in the mean."""

MOST_LINKS = 100
"""More rows than that nobody reads."""


@dataclass(frozen=True)
class Condensed:
    """A summary with the links that are shown alone, and of flows the groups alone."""

    summary: dict[str, Any]
    hidden: int
    """How many more links any packet came to."""
    why_hidden: str


def condensed(
    results: Results | Outcomes,
    tables: Mapping[str, Columns],
    interval: IntervalKind = "student",
    *,
    all_links: bool = False,
) -> Condensed:
    """Summarise what is shown of ``tables``; ``all_links``: all that any packet came to."""
    choice = _choose(tables["links"])
    links = choice.used if all_links else choice.shown
    shown = {
        **tables,
        "links": _only(tables["links"], "link", links),
        "flows": _only(tables["flows"], "flow", _second_ones(tables["groups"])),
    }
    summary = summarise(results, shown, interval)
    return Condensed(summary, len(choice.used) - len(links), choice.why)


@dataclass(frozen=True)
class _Choice:
    used: set[str]
    shown: set[str]
    why: str


def _choose(links: Columns) -> _Choice:
    """The links that any packet came to, and those of them worth a row of a table.

    These lose packets, or have one waiting in the mean, or let them wait for more than `HARDLY`, at
    any point; all, if none does; and no more than `MOST_LINKS`.
    """
    lost: dict[str, float] = {}
    waits: dict[str, float] = {}
    sure: set[str] = set()
    for (_, name), rows in rows_by(links["point"], links["link"]).items():
        if not _mean(links["arrivals_packets"], rows):
            continue
        drops = _mean(links["drops_packets"], rows)
        lost[name] = max(lost.get(name, 0.0), drops)
        waits[name] = max(waits.get(name, 0.0), _mean(links["queueing_delay_mean_s"], rows))
        if drops or _mean(links["queue_mean_packets"], rows) >= 1:
            sure.add(name)
    least = HARDLY * max(waits.values(), default=0.0)
    used = set(waits)
    matter = sure | {name for name, wait in waits.items() if wait > least} or used
    if len(matter) <= MOST_LINKS:
        return _Choice(used, matter, "nothing lost there, and hardly any waiting")
    in_order = [name for name in waits if name in matter]
    foremost = sorted(in_order, key=lambda name: (-lost[name], -waits[name]))
    return _Choice(used, set(foremost[:MOST_LINKS]), "less is lost there, or packets wait less")


def _mean(column: Sequence[float | None], rows: Sequence[int]) -> float:
    """The mean of a metric over replicas; zero where it has no value."""
    values = defined(column[row] for row in rows)
    return fmean(values) if values else 0.0


def _second_ones(groups: Columns) -> set[str]:
    """What the second flows of groups are called: with one, a group is of several."""
    return {f"{name}.1" for name in groups["group"]}


def _only(table: Columns, key: str, names: Collection[str]) -> Columns:
    """The rows whose ``key`` is one of the names."""
    rows = [row for row, name in enumerate(table[key]) if name in names]
    if len(rows) == len(table[key]):
        return table
    return {name: [column[row] for row in rows] for name, column in table.items()}
