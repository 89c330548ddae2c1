"""The figures that the RFC asks for: delay against goodput, fairness, and what varies over time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import polars as pl

from sojourn.plots import delay_goodput, panels
from sojourn.plots.panels import Panels
from sojourn.stats import student_interval
from sojourn.studies import over_time
from sojourn.studies.base import FigureData
from sojourn.studies.judging import label
from sojourn.studies.rfc7928 import phases
from sojourn.studies.rfc7928.chapters.round_trips import ROUND_TRIPS_MS
from sojourn.studies.rfc7928.evidence import Evidence
from sojourn.studies.rfc7928.network import BACK
from sojourn.studies.rfc7928.verdicts import RATIO, WITH_ECN, WITHOUT_ECN
from sojourn.studies.tables import figure_text
from sojourn.wording import counted

ELLIPSES = (
    "newreno",
    "cubic",
    "congestion",
    "bursts-4",
    "mix",
    "two-way-both",
    "two-way-slow-back-both",
    "two-hops",
    "two-hops-second",
)
"""Scenarios that delay is drawn against goodput of, each of their cases by itself."""

WAYS = {
    "the way there": ("delay", "goodput_there"),
    "the way back": (f"delay_{BACK}", "goodput_back"),
}
"""Delay and goodput of each direction, where traffic goes both ways."""

FAIRNESS = {WITHOUT_ECN: "without ECN", WITH_ECN: "with ECN"}


def ellipses(evidence: Evidence, name: str) -> list[FigureData]:
    """Delay against goodput (section 2.7), one figure for each case, and for each direction."""
    if WAYS["the way back"][0] not in evidence.seen[name].measures:
        return ellipses_of(evidence, name, "delay", "goodput", "all flows")
    return [
        replace(one, id=f"{one.id}-{way.split()[-1]}", title=f"{one.title}, {way}")
        for way, columns in WAYS.items()
        for one in ellipses_of(evidence, name, *columns, "all flows that way")
    ]


def ellipses_of(
    evidence: Evidence, name: str, delay: str, goodput: str, of: str
) -> list[FigureData]:
    """The same by the columns of a delay and a goodput, of some flows; a figure for each case."""
    plan, seen = evidence.plans[name], evidence.seen[name]
    found: list[FigureData] = []
    for at, case in enumerate(seen.cases):
        frame = seen.frame.filter(pl.col("case") == case).select(
            pl.col("subject").alias("discipline"),
            "replica",
            (pl.col(delay) / 1e3).alias("delay_s"),
            (pl.col(goodput) * 1e6).alias("goodput_bps"),
        )
        texts = (
            f"{label(one)} {figure_text(seen.interval(delay, case, one).mean)} ms, "
            f"{figure_text(seen.interval(goodput, case, one).mean)} Mbit/s"
            for one in seen.subjects(case)
        )
        found.append(
            FigureData(
                id=f"delay-goodput-{name}" + (f"-{at + 1}" if len(seen.cases) > 1 else ""),
                title=f"{plan.section}: {plan.named(case)}",
                caption=f"Queueing delay against goodput (section 2.7), of {of} together where the "
                "RFC has the goodput per sender: one small mark for each replica, ellipses of "
                "1 sigma (the RFC prints 1-epsilon), medians.",
                alt=f"Scatter chart. {'; '.join(texts)}.",
                frame=frame,
                draw=delay_goodput.draw,
            )
        )
    return found


def fairness(evidence: Evidence) -> FigureData:
    """The goodputs of two flows by the round trip of one (section 6.3)."""
    rows: list[dict[str, float | str | None]] = []
    left_out = 0
    for name, panel in FAIRNESS.items():
        seen = evidence.seen[name]
        for subject in evidence.subjects:
            for rtt, case in zip(ROUND_TRIPS_MS, seen.cases, strict=True):
                # By ratio, as the axis goes: twice as much and half as much are alike far from 1.
                logs = [math.log(one) if one else None for one in seen.values(RATIO, case, subject)]
                if evidence.silent(name, case, subject):
                    logs, left_out = [], left_out + 1
                one = student_interval(logs)
                rows.append(
                    {
                        "panel": panel,
                        "series": subject,
                        "x": float(rtt),
                        "mean": _exp(one.mean),
                        "low": _exp(one.low),
                        "high": _exp(one.high),
                    }
                )
    numbers = dict.fromkeys(("x", "mean", "low", "high"), pl.Float64)
    frame = pl.DataFrame(rows, schema={"panel": pl.String, "series": pl.String} | numbers)
    return FigureData(
        id="rtt-fairness",
        title="6.3: goodput of category II over that of category I",
        caption=f"Category I has a round trip of {evidence.settings.texts['rtt']}. At 1 both get "
        "the same. Geometric means; bands: their 95 % intervals over replicas."
        + f" Left out, since nothing was dropped or marked: {counted(left_out, 'point')}."
        * (left_out > 0),
        alt=_ends(frame),
        frame=frame,
        draw=partial(
            panels.draw,
            what=Panels(
                "Round trip of category II (ms)",
                "Goodput, II / I",
                log_x=True,
                log_y=True,
                levels=dict.fromkeys(FAIRNESS.values(), 1.0),
            ),
        ),
    )


def _exp(value: float | None) -> float | None:
    return None if value is None else math.exp(value)


def _ends(frame: pl.DataFrame) -> str:
    """Each line at its two ends."""
    texts: list[str] = []
    for (panel, series), part in frame.group_by(["panel", "series"], maintain_order=True):
        first, last = part.row(0, named=True), part.row(-1, named=True)
        texts.append(
            f"{panel}, {label(str(series))}: {figure_text(first['mean'])} at {first['x']:g}, "
            f"{figure_text(last['mean'])} at {last['x']:g}"
        )
    return f"Line charts over the round trip of category II. {'; '.join(texts)}."


def over_phases(evidence: Evidence, name: str) -> FigureData:
    """The queueing delay over time where load or capacity varies."""
    plan = evidence.plans[name]
    bands = over_time.band(phases.over_time(evidence.timed[name]), ["subject"])
    frame = bands.select(
        pl.lit(plan.title).alias("panel"),
        pl.col("subject").alias("series"),
        pl.col("time_s").alias("x"),
        pl.col("value").alias("mean"),
        "low",
        "high",
    )
    order: Mapping[str, int] = {one: at for at, one in enumerate(evidence.subjects)}
    frame = frame.sort(pl.col("series").replace_strict(order), "x")
    seen = evidence.by_phase[name]
    texts = (
        f"{label(one)}: "
        + ", ".join(
            f"{figure_text(seen.interval('delay', case, one).mean)} ms ({case})"
            for case in seen.cases
        )
        for one in evidence.subjects
    )
    return FigureData(
        id=f"over-time-{name}",
        title=f"{plan.section}: {plan.title}",
        caption=f"Queueing delay at the bottleneck over {evidence.settings.texts['settle']} and "
        f"phases of {evidence.settings.texts['phase']}: {', '.join(seen.cases)}, and again. Mean "
        "over the replicas; bands: 95 % intervals.",
        alt=f"Line chart of the queueing delay over time. {'; '.join(texts)}.",
        frame=frame,
        draw=partial(
            panels.draw,
            what=Panels("Time (s)", "Queueing delay (ms)", columns=1, style="lines"),
        ),
    )


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in order."""
    return (
        *(one for name in ELLIPSES for one in ellipses(evidence, name)),
        fairness(evidence),
        *(over_phases(evidence, name) for name in evidence.timed),
    )
