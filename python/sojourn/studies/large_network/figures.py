"""Figures 6 to 15 with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import polars as pl

from sojourn.plots import beside_published, lines_over_time, panels
from sojourn.plots.lines_over_time import Strand, TimeFigure
from sojourn.plots.panels import Panels
from sojourn.studies.base import FigureData
from sojourn.studies.judging import label
from sojourn.studies.large_network.disciplines import ADAPTIVE, DISCIPLINES, SWEPT
from sojourn.studies.large_network.evidence import MANY_READINGS, ONE_READINGS, Evidence
from sojourn.studies.large_network.scenario import LIMITS, SWEEP_SENDERS, limit_name, senders_name
from sojourn.studies.tables import figure_text

DOTS = (
    "Open diamonds: the numbers that the paper's text names, the same in each panel. Dots: ours "
    "with 95 % intervals over replicas, one panel for each reading of who sends."
)

BARS = (
    ("fig6-throughput", "Figure 6: throughput, many to one", "throughput", "one"),
    ("fig7-loss", "Figure 7: packet loss ratio, many to one", "loss", "one"),
    ("fig8-delay", "Figure 8: end-to-end delay, many to one", "delay", "one"),
    ("fig9-throughput", "Figure 9: throughput, many to many", "throughput", "many"),
    ("fig10-loss", "Figure 10: packet loss ratio, many to many", "loss", "many"),
    ("fig11-delay", "Figure 11: end-to-end delay, many to many", "delay", "many"),
)
"""Figures that compare disciplines: id, title, measure, network."""

LINES = (
    ("fig13-throughput", "Figure 13: throughput of RED and ARED over queue limits", "throughput"),
    ("fig14-loss", "Figure 14: packet loss ratio of RED and ARED over queue limits", "loss"),
    ("fig15-delay", "Figure 15: end-to-end delay of RED and ARED over queue limits", "delay"),
)
"""Figures over queue limits."""

STRANDS = {
    "queue": Strand("queue", "#0072B2", width=0.8, alpha=0.75),
    "average": Strand("average", "#D55E00", width=2.0),
}


def bars(evidence: Evidence, name: str, title: str, column: str, network: str) -> FigureData:
    """A figure that compares disciplines: a panel per reading."""
    one = network == "one"
    paper = evidence.published.many_to_one if one else evidence.published.many_to_many
    printed: Mapping[str, float] = paper[column]
    rows: list[dict[str, float | str | None]] = []
    heading = evidence.seen.measures[column].heading
    for case in ONE_READINGS if one else MANY_READINGS:
        for subject in DISCIPLINES:
            found = evidence.interval(column, case, subject)
            rows.append(
                {
                    "quantity": f"{heading}: {case}",
                    "discipline": subject,
                    "published": printed.get(subject),
                    "mean": found.mean,
                    "low": found.low,
                    "high": found.high,
                }
            )
    frame = pl.DataFrame(
        rows,
        schema={"quantity": pl.String, "discipline": pl.String}
        | dict.fromkeys(("published", "mean", "low", "high"), pl.Float64),
    )
    alt = f"Dot plot of {heading.lower()}: " + "; ".join(
        f"{row['quantity']}, {label(row['discipline'])} {figure_text(row['mean'])}"
        + (f", published {figure_text(row['published'])}" if row["published"] is not None else "")
        for row in frame.iter_rows(named=True)
    )
    return FigureData(name, title, DOTS, alt, frame, beside_published.draw)


def lines(evidence: Evidence, name: str, title: str, column: str) -> FigureData:
    """A figure over queue limits: a panel per number of senders."""
    rows: list[dict[str, float | str | None]] = []
    printed = evidence.published.limits[column]
    for count in SWEEP_SENDERS:
        for subject in SWEPT:
            for limit in LIMITS:
                found = evidence.interval(column, limit_name(limit, count), subject)
                rows.append(
                    {
                        "panel": senders_name(count),
                        "series": subject,
                        "x": float(limit),
                        "mean": found.mean,
                        "low": found.low,
                        "high": found.high,
                        "beside": printed.get(subject, {}).get(limit),
                    }
                )
    frame = pl.DataFrame(
        rows,
        schema={"panel": pl.String, "series": pl.String}
        | dict.fromkeys(("x", "mean", "low", "high", "beside"), pl.Float64),
    )
    return FigureData(
        id=name,
        title=title,
        caption="Open diamonds: the numbers that the paper's text names. Bands: 95 % intervals "
        "over replicas. ARED (20, 80) has RED's thresholds; drop-tail is not in the paper."
        + (" Short queues show a phase effect." if evidence.phase_effect else ""),
        alt=in_words(frame, evidence.seen.measures[column].heading),
        frame=frame,
        draw=partial(
            panels.draw,
            what=Panels(
                "Queue limit (packets)",
                evidence.seen.measures[column].heading,
                beside="published",
            ),
        ),
    )


def in_words(frame: pl.DataFrame, heading: str) -> str:
    """What is to be seen, for those who do not see it: each line at its two ends."""
    texts: list[str] = []
    for (panel, series), part in frame.group_by(["panel", "series"], maintain_order=True):
        ends = part.sort("x")
        first, last = ends.row(0, named=True), ends.row(-1, named=True)
        texts.append(
            f"{panel}, {label(str(series))}: {figure_text(first['mean'])} at {first['x']:g}, "
            f"{figure_text(last['mean'])} at {last['x']:g}"
        )
    return f"Line charts of {heading[0].lower()}{heading[1:]} over queue limits. " + "; ".join(
        texts
    )


def queue_over_time(evidence: Evidence) -> FigureData:
    """Figure 12: the queue and RED's average in one run."""
    one = evidence.timed.filter(pl.col("replica") == 0)
    frame = (
        one.unpivot(["queue", "average"], index=["subject", "time_s"], variable_name="line")
        .rename({"subject": "panel"})
        .select("panel", "line", "time_s", "value")
    )
    senders = evidence.varying.cases[0]
    return FigureData(
        id="fig12-queue",
        title=f"Figure 12: queue and RED's average over time, {senders}",
        caption="One run, at the link that all clients share, sampled every 50 ms, with room for "
        "1000 packets. ARED's queue stays around its own thresholds.",
        alt=words_over_time(frame, ADAPTIVE),
        frame=frame,
        draw=partial(
            lines_over_time.draw,
            what=TimeFigure("Packets", STRANDS, {name: label(name) for name in ADAPTIVE}),
        ),
    )


def words_over_time(frame: pl.DataFrame, names: Sequence[str]) -> str:
    """Mean and most of each line."""
    texts: list[str] = []
    for name in names:
        for line in STRANDS:
            part = frame.filter((pl.col("panel") == name) & (pl.col("line") == line))["value"]
            texts.append(
                f"{label(name)}, {line}: mean {part.mean():.1f}, most {part.max():.1f} packets"
            )
    return "Queue over time. " + "; ".join(texts)


def figures(evidence: Evidence) -> tuple[FigureData, ...]:
    """All figures, in order."""
    return (
        *(bars(evidence, *plan) for plan in BARS),
        queue_over_time(evidence),
        *(lines(evidence, *plan) for plan in LINES),
    )
