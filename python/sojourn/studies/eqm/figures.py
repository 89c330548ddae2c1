"""Figures 2 to 6 with intervals, and Table III as a figure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import polars as pl

from sojourn.plots import against_load, beside_published
from sojourn.plots.against_load import Inset, Level, LoadFigure
from sojourn.stats import student_interval
from sojourn.studies.base import FigureData
from sojourn.studies.eqm import grades
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import DISCIPLINES, PUBLISHED, label, published_label
from sojourn.studies.eqm.measures import MEASURES, RANKED
from sojourn.studies.tables import figure_text


@dataclass(frozen=True)
class Plan:
    """A figure of the publication and what we draw for it."""

    id: str
    title: str
    column: str
    caption: str
    above_only: bool = False
    levels: bool = False
    room: tuple[float, float, float, float] | None = None


UPPER_LEFT = (0.1, 0.3, 0.62, 0.58)
LOWER_RIGHT = (0.47, 0.1, 0.37, 0.24)
"""Parts of the axes that stay empty, for a magnifier."""

PLANS = (
    Plan(
        "fig2-queue",
        "Figure 2: mean queue against load",
        "queue",
        "Time-weighted mean of the packets that wait at the bottleneck, the one being sent not "
        "counted.",
        room=UPPER_LEFT,
    ),
    Plan(
        "fig3-delay",
        "Figure 3: queueing delay above the capacity",
        "queueing_ms",
        "Mean wait at the bottleneck of the packets delivered, over the loads that the published "
        "figure shows. Dotted: the averages printed in Table III, called end-to-end there.",
        above_only=True,
        levels=True,
    ),
    Plan(
        "fig3-delay-all",
        "Figure 3, continued: end-to-end delay over all loads",
        "delay_ms",
        "Mean one-way delay of the packets received. The axis begins near the delay of the empty "
        "path; the printed averages lie far below it.",
        room=UPPER_LEFT,
    ),
    Plan(
        "fig4-loss",
        "Figure 4: packets lost against load",
        "loss",
        "Packets dropped at any queue, per run.",
        room=UPPER_LEFT,
    ),
    Plan(
        "fig4-loss-ratio",
        "Figure 4, continued: loss ratio against load",
        "loss_percent",
        "Packets dropped over packets sent.",
        room=UPPER_LEFT,
    ),
    Plan(
        "fig5-throughput",
        "Figure 5: throughput against load",
        "throughput_mbps",
        "Bits received at the destination per second.",
        room=LOWER_RIGHT,
    ),
    Plan(
        "fig6-utilisation",
        "Figure 6: utilisation against load",
        "utilisation_percent",
        "Share of time in which the bottleneck sends.",
        room=LOWER_RIGHT,
    ),
)
"""The figures against load, in the order of the publication."""

BANDS = (
    " Bands: 95 % intervals over replicas of each discipline alone. What is common to all, the "
    "arrivals, widens them all; orders are judged by paired differences."
)
"""Ends the caption of every figure against load."""


def against(evidence: Evidence, column: str) -> pl.DataFrame:
    """Mean and 95 % interval of a measure by discipline and load."""
    rows: list[dict[str, float | str | None]] = []
    for (discipline, load), part in evidence.frame.group_by(
        ["discipline", "load"], maintain_order=True
    ):
        one = student_interval(part[column])
        rows.append(
            {
                "discipline": str(discipline),
                "load": float(load),  # pyright: ignore[reportArgumentType]
                "mean": one.mean,
                "low": one.low,
                "high": one.high,
                "n": one.n,
            }
        )
    return pl.DataFrame(
        rows,
        schema={
            "discipline": pl.String,
            "load": pl.Float64,
            "mean": pl.Float64,
            "low": pl.Float64,
            "high": pl.Float64,
            "n": pl.Int64,
        },
    )


def in_words(evidence: Evidence, plan: Plan, frame: pl.DataFrame) -> str:
    """What is to be seen, for those who do not see it: each line at its two ends."""
    measure = MEASURES[plan.column]
    if plan.above_only:
        frame = frame.filter(pl.col("load") > evidence.ours.capacity_mbps + 1e-9)
    texts: list[str] = []
    for discipline in DISCIPLINES:
        rows = frame.filter(pl.col("discipline") == discipline).drop_nulls("mean").sort("load")
        if rows.is_empty():
            continue
        first, last = rows.row(0, named=True), rows.row(-1, named=True)
        texts.append(
            f"{label(discipline)} from {figure_text(first['mean'])} at {first['load']:g} Mbit/s "
            f"to {figure_text(last['mean'])} at {last['load']:g} Mbit/s"
        )
    heading = measure.heading[0].lower() + measure.heading[1:]
    return f"Line chart of {heading} against network load: " + "; ".join(texts) + "."


def load_figure(evidence: Evidence, plan: Plan) -> FigureData:
    """One figure against load."""
    measure = MEASURES[plan.column]
    frame = against(evidence, plan.column)
    capacity = evidence.ours.capacity_mbps
    levels: list[Level] = []
    if plan.levels and measure.published:
        printed = evidence.published.table_three[measure.published].values
        levels = [
            Level(printed[name], f"{published_label(name)}, printed {printed[name]:g}", name)
            for name in PUBLISHED
        ]
    if plan.above_only:
        frame = frame.filter(pl.col("load") > capacity + 1e-9)
    # One load below the capacity, then all above: where the disciplines part.
    below = [load for load in evidence.ours.loads if load <= capacity + 1e-9]
    inset = None
    if plan.room is not None and below and evidence.ours.loads[-1] > capacity:
        inset = Inset(round(below[-1], 6), plan.room)
    what = LoadFigure(
        y_label=measure.heading,
        capacity=None if plan.above_only else capacity,
        levels=tuple(levels),
        inset=inset,
        from_zero=plan.column != "delay_ms",
    )
    return FigureData(
        id=plan.id,
        title=plan.title,
        caption=plan.caption + BANDS,
        alt=in_words(evidence, plan, frame),
        frame=frame,
        draw=partial(against_load.draw, what=what),
    )


def table_figure(evidence: Evidence) -> FigureData:
    """Table III, published and ours, where the units allow it."""
    scales = {"throughput": 0.01}
    rows: list[dict[str, float | str | None]] = []
    for column in RANKED:
        measure = MEASURES[column]
        key = measure.published or column
        printed = evidence.published.table_three[key].values
        reading = grades.reading_of(column)
        unit = " (printed numbers read as 10 kbit/s)" if key == "throughput" else ""
        unit = " (printed numbers read as %)" if key == "utilisation" else unit
        title = f"{measure.heading}, {evidence.readings[reading].title}{unit}"
        for name, one in evidence.intervals(column, reading, PUBLISHED).items():
            rows.append(
                {
                    "quantity": title,
                    "discipline": name,
                    "published": printed[name] * scales.get(key, 1.0),
                    "mean": one.mean,
                    "low": one.low,
                    "high": one.high,
                }
            )
    frame = pl.DataFrame(
        rows,
        schema={"quantity": pl.String, "discipline": pl.String}
        | dict.fromkeys(("published", "mean", "low", "high"), pl.Float64),
    )
    alt = "Dot plot of Table III: " + "; ".join(
        f"{row['quantity']}: {label(str(row['discipline']))} published "
        f"{figure_text(row['published'])}, ours {figure_text(row['mean'])}"
        for row in frame.iter_rows(named=True)
    )
    return FigureData(
        id="table3",
        title="Table III: published and ours",
        caption="Open diamonds: printed averages. Dots: ours, with 95 % intervals over replicas.",
        alt=alt,
        frame=frame,
        draw=beside_published.draw,
    )


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in order."""
    return (*(load_figure(evidence, plan) for plan in PLANS), table_figure(evidence))
