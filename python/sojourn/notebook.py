"""How scenarios and results look in notebooks (Jupyter, marimo): plain HTML tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sojourn.columns import (
    OF_FLOWS,
    OF_LINKS,
    Column,
    measured,
    metric_text,
    most_values,
    telling,
)
from sojourn.wording import from_to

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.scenario import Scenario


def results_card(results: Results) -> str:
    """Links and groups of flows of each point, means with their 95 % intervals."""
    if results.runs.is_empty():
        return f"<p><b>{escape(results.scenario.title)}</b>: no run is finished</p>"
    shown = results.condensed()
    points, keys = shown.summary["points"], list(results.scenario.core.vary_keys)
    links = _measured([*keys, "link"], points, "links", OF_LINKS)
    groups = _measured([*keys, "flows"], points, "groups", OF_FLOWS)
    hidden = f"{shown.hidden} more links, in <code>links</code>: {shown.why_hidden}"
    note = f"{len(results.runs)} runs, sojourn {results.sojourn}"
    note += "" if results.complete else "; not complete"
    return (
        f"<p><b>{escape(results.scenario.title)}</b>: {escape(note)}</p>"
        + links
        + (f"<p>{hidden}</p>" if shown.hidden else "")
        + groups
    )


def scenario_card(scenario: Scenario) -> str:
    """What a scenario is, and its text to unfold."""
    points = scenario.core.points
    facts = [
        ("points", points),
        ("replicas", scenario.replicas),
        ("seed", scenario.seed),
        ("simulated time", from_to(map(scenario.core.duration_s, range(points)))),
        ("links", len(scenario.core.links(0))),
        ("flows", len(scenario.core.flows(0))),
        ("varies", ", ".join(scenario.core.vary_keys) or "nothing"),
    ]
    return (
        f"<p><b>{escape(scenario.title)}</b></p>"
        + _table([name for name, _ in facts], [[str(value) for _, value in facts]])
        + "<details><summary>scenario file</summary>"
        + f"<pre>{escape(scenario.to_toml())}</pre></details>"
    )


def _measured(
    names: Sequence[str],
    points: Sequence[dict[str, Any]],
    of: str,
    columns: dict[str, Column],
) -> str:
    """A table of the links or groups of each point, with the columns that say something."""
    telling_columns = telling(columns, points, of)
    rows = []
    for point in points:
        labels = [_label(value) for value in point["vary"].values()]
        for name, metrics in measured(point, of).items():
            replicas = most_values(metrics)
            cells = [
                metric_text(metrics.get(key), how.factor, how.decimals, replicas=replicas)
                for key, how in telling_columns.items()
            ]
            rows.append([*labels, name, *cells])
    return _table([*names, *(how.heading for how in telling_columns.values())], rows)


def _label(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} = {item}" for key, item in value.items())
    return value if isinstance(value, str) else json.dumps(value)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
