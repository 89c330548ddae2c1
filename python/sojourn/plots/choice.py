"""What of an experiment a figure shows, unless it is told: the bottleneck, the last case."""

from __future__ import annotations

import re
from collections.abc import Iterable

import polars as pl

from sojourn.experiments.cases import Case, answers, cases, is_compared
from sojourn.plots.scales import scale
from sojourn.results import Results

NO_RUN = "the experiment has no finished run"
"""Why nothing can be shown of it."""


class PlotError(ValueError):
    """A figure that cannot be drawn: what was asked, and what is possible."""


def cases_run(results: Results) -> dict[int, Case]:
    """The cases that have a finished run, by their numbers."""
    begun = set(results.runs["point"])
    every = enumerate(cases(results.scenario))
    return {number: case for number, case in every if begun.intersection(case.points)}


def case_of(results: Results, number: int | None) -> Case:
    """The case of this number; by default the last, where ranges have risen to their end."""
    every, most = cases_run(results), len(cases(results.scenario)) - 1
    if number is None and every:
        return every[max(every)]
    if number is not None and not 0 <= number <= most:
        raise PlotError(f"found case {number}; allowed: 0 to {most}")
    if number not in every:
        known = ", ".join(map(str, every)) or "none"
        raise PlotError(f"case {number or 0} has no finished run; those that have: {known}")
    return every[number]


def link_of(results: Results, name: str | None) -> str:
    """The link of this name; by default the one where packets wait longest."""
    waits = (
        results.links.group_by("link", maintain_order=True)
        .agg(
            pl.col("queueing_delay_mean_s").mean().fill_null(0.0),
            pl.col("utilization").mean().fill_null(0.0),
        )
        .sort("queueing_delay_mean_s", "utilization", descending=True, maintain_order=True)
    )
    names = waits["link"].to_list()
    if not names:
        raise PlotError(NO_RUN)
    if name is not None and name not in names:
        raise PlotError(f"found the link {name!r}; allowed: {', '.join(sorted(names))}")
    return name or names[0]


def fitting(asked: str, known: Iterable[str]) -> dict[str, list[str]]:
    """By each name that is asked for, with commas between: the known ones that it means.

    In a name ``*`` stands for any text, as in keys of ``[vary]``.
    """
    names = list(known)
    parts = [part.strip() for part in asked.split(",")]
    patterns = {part: ".*".join(map(re.escape, part.split("*"))) for part in parts}
    return {
        part: [name for name in names if re.fullmatch(pattern, name)]
        for part, pattern in patterns.items()
    }


def flows_of(results: Results, asked: str) -> list[str]:
    """The flows that are asked for, by their names or by those that several share; see `fitting`.

    Raises PlotError where there is none of a name.
    """
    pairs = results.flows.select("flow", "group").unique(maintain_order=True).rows()
    found = fitting(asked, {name for pair in pairs for name in pair})
    for part, names in found.items():
        if not names:
            known = ", ".join(dict.fromkeys(group for _, group in pairs)) or "none"
            raise PlotError(f"found no flow of the name {part!r}; flows: {known}")
    wanted = {name for names in found.values() for name in names}
    return [flow for flow, group in pairs if flow in wanted or group in wanted]


def keys_of_axes(results: Results) -> list[str]:
    """The keys that an axis takes where none is named: those with several values that make cases.

    Where nothing varies but what is compared, those that are quantities, as the limit of a queue.
    """
    values = {
        key: [point[key] for point in results.scenario.vary]
        for key in results.scenario.core.vary_keys
    }
    several = [key for key, of_key in values.items() if len(set(map(str, of_key))) > 1]
    return [key for key in several if not is_compared(key)] or [
        key for key in several if not scale(values[key]).names
    ]


def check_key(results: Results, key: str) -> None:
    """Raise PlotError where a key for an axis does not vary."""
    if key not in results.scenario.core.vary_keys:
        known = ", ".join(results.scenario.core.vary_keys) or "none: nothing varies"
        raise PlotError(f"found the key {key!r}; allowed: {known}")


def labels_of(results: Results, case: Case) -> pl.DataFrame:
    """``point`` and ``discipline``: the points of a case, and what each is called."""
    names = answers(results.scenario)
    return pl.DataFrame(
        {"point": list(case.points), "discipline": [names[point] for point in case.points]},
        schema={"point": pl.Int64, "discipline": pl.String},
    )


def same_arrivals(results: Results, case: Case) -> str:
    """Say that all points of a case face the same arrivals, if there are several and they do.

    What TCP sends depends on the queue.
    """
    identities = [results.scenario.identity(point) for point in case.points]
    # A scenario without flows has no such key.
    flows = [flow for identity in identities for flow in identity.get("flow", [])]
    is_open = all(flow["transport"].get("protocol") == "udp" for flow in flows)
    return ", the same arrivals for all" if flows and is_open and len(case.points) > 1 else ""


def replica_of(results: Results, number: int) -> int:
    """The replica of this number."""
    known = sorted(set(results.runs["replica"]))
    if number not in known:
        raise PlotError(f"found replica {number}; allowed: 0 to {max(known, default=0)}")
    return number
