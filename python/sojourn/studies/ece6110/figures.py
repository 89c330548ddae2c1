"""Figures 2 to 4 with intervals, the sweeps that the report does not show, and what they hide."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

import polars as pl

from sojourn.plots import panels
from sojourn.plots.looks import Look
from sojourn.plots.panels import Panels
from sojourn.stats import Interval, student_interval
from sojourn.studies.base import FigureData
from sojourn.studies.ece6110 import measures
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import RED, SWEEPS, along
from sojourn.studies.ece6110.scenario import LOADS, load_name, offered_kbps
from sojourn.studies.tables import figure_text

LOOKS = {
    "udp": Look("UDP", "#D55E00", "o"),
    "tcp-1": Look("TCP 1", "#0072B2", "s"),
    "tcp-2": Look("TCP 2", "#009E73", "^"),
}
"""How the sources look."""

GOODPUT = "Goodput (kbit/s)"

BANDS = (
    " Bands: 95 % intervals over replicas. All queues face the same on and off periods: what is "
    "common to all points of a line widens its whole band."
)

SWEEP_LABELS = {
    "droptail": "Queue size (bytes; k = 1000)",
    "min_th": "Minimum threshold min_th (packets)",
    "max_th": "Maximum threshold max_th (packets)",
    "max_p": "Largest drop probability max_p",
    "w_q": "Weight w_q of an arrival in the average",
    "limit": "Queue length (packets)",
}

SCHEMA = pl.Schema(
    {"panel": pl.String, "series": pl.String}
    | dict.fromkeys(("x", "mean", "low", "high"), pl.Float64)
)


def row(panel: str, series: str, x: float, one: Interval) -> dict[str, object]:
    """A point of a line."""
    place = {"panel": panel, "series": series, "x": x}
    return {**place, "mean": one.mean, "low": one.low, "high": one.high}


def frame_of(rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """Rows as a frame that a figure of panels takes."""
    return pl.DataFrame(list(rows), schema=SCHEMA)


def in_words(frame: pl.DataFrame, what: str) -> str:
    """What is to be seen, for those who do not see it: each line at its two ends."""
    texts: list[str] = []
    for (panel, series), part in frame.group_by(["panel", "series"], maintain_order=True):
        ends = part.drop_nulls("mean").sort("x")
        if ends.is_empty():
            continue
        first, last = ends.row(0, named=True), ends.row(-1, named=True)
        name = LOOKS[str(series)].label if series in LOOKS else str(series)
        texts.append(
            f"{panel}, {name}: {figure_text(first['mean'])} at {first['x']:g}, "
            f"{figure_text(last['mean'])} at {last['x']:g}"
        )
    return f"Line charts of {what}. " + "; ".join(texts) + "."


def sweep(evidence: Evidence, parameter: str, name: str, title: str, caption: str) -> FigureData:
    """Goodput over one parameter of a queue: a panel per load."""
    frame = frame_of(
        row(f"{load} load", flow, at, evidence.interval(flow, load, queue.name))
        for load in LOAD_NAMES
        for flow in measures.FLOWS
        for at, queue in along(parameter).items()
    )
    what = Panels(
        x_label=SWEEP_LABELS[parameter],
        y_label=GOODPUT,
        looks=LOOKS,
        log_x=True,
        levels={f"{load_name(load)} load": offered_kbps(load) for load in LOADS},
        level_text="written by each source",
    )
    return FigureData(
        id=name,
        title=title,
        caption=caption + BANDS,
        alt=in_words(frame, f"goodput over {SWEEP_LABELS[parameter].lower()}"),
        frame=frame,
        draw=partial(panels.draw, what=what),
    )


def against_loads(evidence: Evidence) -> FigureData:
    """Figure 4: RED as printed and drop-tail, over the loads."""
    titles = {BASE: BASE, RED.name: "RED as printed"}
    frame = frame_of(
        row(titles[subject], flow, load, evidence.interval(flow, load_name(load), subject))
        for subject in (RED.name, BASE)
        for flow in measures.FLOWS
        for load in LOADS
    )
    return FigureData(
        id="fig4-loads",
        title="Figure 4: goodput against load, RED as printed, and drop-tail beside it",
        caption="RED with min_th 5, max_th 90, max_p 1/20, w_q 1/128 and 480 packets. The report "
        "has UDP ten times above TCP, and TCP with RED a tenth of TCP with drop-tail." + BANDS,
        alt=in_words(frame, "goodput against load"),
        frame=frame,
        draw=partial(
            panels.draw,
            what=Panels("Load (% of the smaller bottleneck)", GOODPUT, LOOKS),
        ),
    )


def single_runs(evidence: Evidence) -> FigureData:
    """What one run of 10 s shows: goodputs of the replicas one by one."""
    load = load_name(90)
    shown = min(20, len(evidence.values("udp", load, BASE)))
    frame = frame_of(
        row(title, flow, run + 1, student_interval([values[run]]))
        for subject, title in ((RED.name, "RED as printed"), (BASE, BASE))
        for flow in measures.FLOWS
        for values in [evidence.values(flow, load, subject)]
        for run in range(shown)
    )
    return FigureData(
        id="single-runs",
        title=f"What one run of {evidence.settings['duration']} shows, at 90 % load",
        caption="Each place is one run; the two panels share their on and off periods. Between "
        "runs the goodputs change by far more than between RED and drop-tail in one run.",
        alt=in_words(frame, "goodput of single runs"),
        frame=frame,
        draw=partial(panels.draw, what=Panels("Run", GOODPUT, LOOKS, columns=1, style="points")),
    )


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in order."""
    red = {
        parameter: sweep(
            evidence,
            parameter,
            f"fig3-{parameter.replace('_', '-')}",
            f"Figure 3{'' if parameter == 'w_q' else ', continued'}: goodput with RED over "
            f"{parameter if parameter != 'limit' else 'the queue length'}",
            "One panel per load; the other parameters as printed.",
        )
        for parameter in ("w_q", *(name for name in SWEEPS if name != "w_q"))
    }
    return (
        sweep(
            evidence,
            "droptail",
            "fig2-droptail",
            "Figure 2: goodput with drop-tail queues of varying size",
            "One panel per load.",
        ),
        *red.values(),
        against_loads(evidence),
        single_runs(evidence),
    )
