"""How scenarios and results look in notebooks (Jupyter, marimo): plain HTML tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from sojourn.experiments.compared import from_to
from sojourn.summary import links_that_matter, metric_text, most_values

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.scenario import Scenario

LINK_METRICS = {
    "utilization": ("utilisation", 1.0, 3),
    "throughput_bps": ("throughput, Mbit/s", 1e-6, 3),
    "loss_ratio": ("loss, %", 100.0, 3),
    "queueing_delay_mean_s": ("queueing delay, ms", 1e3, 3),
    "queueing_delay_p95_s": ("p95, ms", 1e3, 3),
}
"""Metric -> heading, factor and decimals."""

FLOW_METRICS = {
    "goodput_bps": ("goodput, Mbit/s", 1e-6, 3),
    "loss_ratio": ("loss, %", 100.0, 3),
    "delay_mean_s": ("one-way delay, ms", 1e3, 3),
    "jain_index": ("Jain's index", 1.0, 3),
}


def results_card(results: Results) -> str:
    """Links and groups of flows of each point, means with their 95 % intervals."""
    if results.runs.is_empty():
        return f"<p><b>{escape(results.scenario.title)}</b>: no run is finished</p>"
    summary = results.summary()
    keys = list(results.scenario.core.vary_keys)
    used, shown = links_that_matter(summary["points"])
    links = _rows(summary["points"], keys, "links", LINK_METRICS, shown)
    groups = _rows(summary["points"], keys, "groups", FLOW_METRICS)
    more = len(used) - len(shown)
    hidden = f"{more} more links, in <code>links</code>: nothing lost there, and hardly any waiting"
    note = f"{len(results.runs)} runs, sojourn {results.sojourn}"
    note += "" if results.complete else "; not complete"
    return (
        f"<p><b>{escape(results.scenario.title)}</b>: {escape(note)}</p>"
        + _table([*keys, "link", *(heading for heading, _, _ in LINK_METRICS.values())], links)
        + (f"<p>{hidden}</p>" if more else "")
        + _table([*keys, "flows", *(heading for heading, _, _ in FLOW_METRICS.values())], groups)
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


def _rows(
    points: Iterable[dict[str, Any]],
    keys: Sequence[str],
    kind: str,
    metrics: dict[str, tuple[str, float, int]],
    shown: set[str] | None = None,
) -> list[list[str]]:
    rows = []
    for point in points:
        labels = [_label(point["vary"][key]) for key in keys]
        for name, values in point[kind].items():
            if shown is not None and name not in shown:
                continue
            replicas = most_values(values)
            cells = [
                metric_text(values.get(metric), *how[1:], replicas=replicas)
                for metric, how in metrics.items()
            ]
            rows.append([*labels, name, *cells])
    return rows


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
