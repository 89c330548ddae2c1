"""One self-contained page about one decision: packet, queue, inner variables, rule."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
from markupsafe import Markup

from sojourn import _core
from sojourn.events import Decision
from sojourn.files.whole import write_whole
from sojourn.plots.decision import COLUMNS, draw
from sojourn.plots.looks import titles
from sojourn.plots.save import save
from sojourn.report.drawings import inline_svg
from sojourn.report.page import environment
from sojourn.scenario import Scenario
from sojourn.wording import in_full

RULES = {
    "overlimit": "The queue stood at its limit: there was no room.",
    "unforced": "An early decision by probability: the queue was growing, not full.",
    "forced": "The average stood above the hard threshold, where every arrival is dropped.",
    "target": "The sojourn had stayed above the target for an interval, and by the control law the "
    "next drop was due.",
    "ce_threshold": "The packet had waited for longer than ce_threshold.",
    "blue": "A draw by BLUE's probability.",
    "match": "A packet drawn from the queue was of the same flow: both go.",
    "head": "It stood at the head and made room for an arrival.",
    "penalty": "Its flow does not respond and had used up its allowance.",
    "ack_filter": "A later acknowledgement of its connection says all that this one says.",
    "link": "It was lost on the wire.",
}
"""What each reason means."""


def rule_of(event: dict[str, Any]) -> str:
    """The rule behind a drop or mark, in a sentence or two."""
    rule = RULES[event["reason"]]
    if event["event"] == "mark":
        rule += " The packet is ECN-capable, so it was marked and goes on."
    return rule


def call_of(event: dict[str, Any]) -> str:
    """What the discipline was asked when it decided."""
    if event["sojourn_s"] == 0:
        return "while the packet arrived"
    return "after the packet had waited"


def render(decision: Decision, queue: dict[str, Any], title: str, svg: str) -> str:
    """The page as text. `queue` describes the link's queue as ``Scenario.network`` does."""
    templates = environment()
    style = templates.get_template("page.css").render()
    waiting = decision.waiting
    by_flow = waiting.group_by("flow", maintain_order=True).agg(
        pl.len().alias("packets"),
        pl.sum("size_bytes").alias("bytes"),
        pl.min("time_s").alias("oldest"),
    )
    now = decision.event["time_s"]
    return templates.get_template("decision.html").render(
        title=title,
        decision=decision,
        event=decision.event,
        rule=rule_of(decision.event),
        call=call_of(decision.event),
        discipline=_title(queue["discipline"]),
        queue=queue,
        settings={name: in_full(value) for name, value in queue["params"].items()},
        by_flow=[
            (flow, packets, size, f"{(now - oldest) * 1e3:.3f}")
            for flow, packets, size, oldest in by_flow.sort(
                "packets", descending=True, maintain_order=True
            ).iter_rows()
        ],
        variables=_variables(decision.state, decision.state_after),
        neighbours=decision.neighbours.to_dicts(),
        figure=Markup(svg),
        milliseconds=lambda seconds: "" if seconds is None else f"{seconds * 1e3:.3f}",
        style=Markup(style),
        version=_core.__version__,
    )


def write(decision: Decision, scenario: Scenario, point: int, folder: Path) -> list[Path]:
    """Write the page and its figure into `folder`; return the paths."""
    links = json.loads(scenario.core.link_details(point))
    queue = next(link["queue"] for link in links if link["name"] == decision.event["link"])
    name = f"decision-{decision.number}"
    frame = decision.around.select(COLUMNS)
    paths = save(draw(frame, decision.event), frame, folder, name)
    svg = inline_svg(paths["svg"].read_text(encoding="utf-8"), name)
    page = folder / f"{name}.html"
    write_whole(page, [render(decision, queue, scenario.title, svg).encode()])
    return [page, *paths.values()]


def _title(discipline: str) -> str:
    """The name of a discipline in print; of one from outside that of its class."""
    return titles().get(discipline, discipline.rpartition(":")[2])


def _variables(before: dict[str, Any], after: dict[str, Any]) -> Sequence[tuple[str, str, str]]:
    """Name, value before and value after of each inner variable."""
    return [
        (name, _value(before.get(name)), _value(after.get(name)))
        for name in dict.fromkeys([*before, *after])
    ]


def _value(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else in_full(value)
