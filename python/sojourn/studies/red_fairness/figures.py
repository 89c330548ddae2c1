"""Figures 2 to 5 with intervals, with both windows, and the throughput against the buffer."""

from __future__ import annotations

from functools import partial

import polars as pl

from sojourn.plots import against_load
from sojourn.plots.against_load import LoadFigure
from sojourn.stats import student_interval
from sojourn.studies.base import FigureData
from sojourn.studies.judging import label
from sojourn.studies.red_fairness import scenario
from sojourn.studies.red_fairness.comparison import COLUMNS
from sojourn.studies.red_fairness.evidence import Evidence, Reading, t1_ms
from sojourn.studies.red_fairness.measures import DISCIPLINES, MEASURES
from sojourn.studies.tables import figure_text

SCHEMA = {"discipline": pl.String} | dict.fromkeys(
    ("load", "mean", "low", "high", "published"), pl.Float64
)

BANDS = (
    " Lines: ours, with 95 % intervals over replicas as bands; where they meet, both markers show."
)
DIAMONDS = " Open diamonds: the published numbers."

X_LABELS = {1: "Connections N", 2: "Connections N", 3: "D (ms)", 4: "D (ms)"}


def of_case(evidence: Evidence, reading: Reading, case: int, id_: str, words: str) -> FigureData:
    """One published figure, under one window."""
    theirs = reading.published.tables[case].values
    rows: list[dict[str, object]] = []
    for name in DISCIPLINES:
        for at, one in reading.intervals(COLUMNS[case], case, name).items():
            row: dict[str, object] = {"discipline": name, "load": float(at)}
            row |= {"mean": one.mean, "low": one.low, "high": one.high}
            rows.append(row | {"published": theirs[name][at]})
    frame = pl.DataFrame(rows, schema=SCHEMA)
    measure = MEASURES[COLUMNS[case]]
    title = (
        f"Figure {case + 1}, case {case}: {measure.title[0].lower()}{measure.title[1:]}, {words}"
    )
    return FigureData(
        id=id_,
        title=title.replace("jain", "Jain"),
        caption=f"T1 {t1_ms(evidence.settings, case)}, {words}.{DIAMONDS}{BANDS}",
        alt=f"{measure.heading} against {'the connections' if case < 3 else 'D'}: {ends(frame)}.",
        frame=frame,
        draw=partial(
            against_load.draw,
            what=LoadFigure(y_label=measure.heading, x_label=X_LABELS[case]),
        ),
    )


def ends(frame: pl.DataFrame) -> str:
    """Each line at its two ends, ours and published."""
    texts: list[str] = []
    for name in DISCIPLINES:
        rows = frame.filter(pl.col("discipline") == name).sort("load")
        for row in (rows.row(0, named=True), rows.row(-1, named=True)):
            text = f"{label(name)} {figure_text(row['mean'])} at {row['load']:g}"
            if row["published"] is not None:
                text += f" (published {row['published']:g})"
            texts.append(text)
    return "; ".join(texts)


def of_buffer(evidence: Evidence, connections: int) -> FigureData:
    """Goodput against the limit for one number of connections."""
    rows: list[dict[str, object]] = []
    here = evidence.buffers.filter(pl.col("at") == connections)
    for name in DISCIPLINES:
        for limit in scenario.LIMITS:
            values = here.filter((pl.col("discipline") == name) & (pl.col("limit") == limit))
            one = student_interval(values["goodput_mbps"])
            row: dict[str, object] = {"discipline": name, "load": float(limit)}
            rows.append(row | {"mean": one.mean, "low": one.low, "high": one.high})
    frame = pl.DataFrame(rows, schema=SCHEMA)
    return FigureData(
        id=f"buffer-{connections}",
        title=f"Goodput against the buffer, {connections} connections",
        caption="Not in the publication, which does not give its buffer: T1 80 ms, windows of 1000 "
        f"packets.{BANDS}",
        alt=f"Goodput against the buffer with {connections} connections: {ends(frame)}.",
        frame=frame.drop("published"),
        draw=partial(
            against_load.draw,
            what=LoadFigure(
                y_label=MEASURES["goodput_mbps"].heading,
                x_label="Buffer of the bottleneck (packets)",
            ),
        ),
    )


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in the order of the publication; then those against the buffer."""
    window = evidence.settings["window"]
    names = {1: "throughput", 2: "throughput", 3: "fairness", 4: "fairness"}
    found: list[FigureData] = []
    for case, name in names.items():
        id_ = f"fig{case + 1}-{name}"
        words = f"windows of {window}"
        found.append(of_case(evidence, evidence.chosen, case, id_, words))
        if window != scenario.LARGE_WINDOW:
            large = f"windows of {scenario.LARGE_WINDOW}"
            found.append(of_case(evidence, evidence.large, case, f"{id_}-large", large))
    return (*found, *(of_buffer(evidence, one) for one in scenario.BUFFER_CONNECTIONS))
