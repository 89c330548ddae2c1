"""Tables III and IV: ours beside theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sojourn.studies.base import Section
from sojourn.studies.eqm import calibrated, calibration, grades
from sojourn.studies.eqm.calibration import Candidate
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import DISCIPLINES, PUBLISHED, label
from sojourn.studies.eqm.measures import MEASURES
from sojourn.studies.tables import MISSING, Table, interval_numbers, interval_text

SHOWN = (
    ("queue", ("all", "above")),
    ("queueing_ms", ("all", "above")),
    ("delay_ms", ("all", "above")),
    ("loss", ("all", "above")),
    ("throughput_mbps", ("all", "above")),
    ("utilisation_percent", ("all", "above")),
)
"""What the comparison shows, in the order of Table III, and over which readings."""

PRINTED = "published"
"""Stands in the column of the loads where the row is the publication's."""


def comparison(evidence: Evidence) -> Table:
    """Table III: the printed row, then ours over all loads and over those above the capacity."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    shown_rows: set[str] = set()
    for column, names in SHOWN:
        measure = MEASURES[column]
        key = measure.published
        if key is not None and key not in shown_rows:
            shown_rows.add(key)
            row = evidence.published.table_three[key]
            printed = tuple(
                f"{row.values[name]:g}" if name in row.values else MISSING for name in DISCIPLINES
            )
            rows.append((row.label, PRINTED, *printed))
            records.append(
                {"quantity": row.label, "reading": "published"}
                | {name: row.values.get(name) for name in DISCIPLINES}
            )
        for name in names:
            title = evidence.readings[name].title
            intervals = evidence.intervals(column, name)
            rows.append(
                (
                    measure.short_heading,
                    evidence.readings[name].short,
                    *(interval_text(intervals[one]) for one in DISCIPLINES),
                )
            )
            records.append(record(measure.heading, title, intervals))
    return Table(
        id="table-three",
        caption="Table III, published and ours",
        header=("Quantity", "Loads", *(label(name) for name in DISCIPLINES)),
        rows=tuple(rows),
        note=(
            "Published rows are of EQM itself, and in units as printed. Ours: mean over the loads "
            "named, then over replicas, ± half the 95 % interval (Student). Drop-tail is not in "
            "the publication: it is the bound."
        ),
        records=records,
    )


def record(quantity: str, reading: str, intervals: dict[str, Any]) -> dict[str, Any]:
    """A row as numbers: mean, low and high by discipline."""
    return {"quantity": quantity, "reading": reading} | interval_numbers(intervals)


def beside_counts(evidence: Evidence) -> Table:
    """Ratios beside the counts, and the delay of equation 1."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for column in ("loss_percent", "delivery_percent", "delay_seed000"):
        measure = MEASURES[column]
        for name in ("all", "above"):
            title = evidence.readings[name].title
            intervals = evidence.intervals(column, name)
            digits = 4 if column == "delivery_percent" else 3
            texts = (interval_text(intervals[one], digits) for one in DISCIPLINES)
            rows.append((measure.short_heading, evidence.readings[name].short, *texts))
            records.append(record(measure.heading, title, intervals))
    return Table(
        id="ratios",
        caption="Ratios beside the counts, and the delay of equation 1",
        header=("Quantity", "Loads", *(label(name) for name in DISCIPLINES)),
        rows=tuple(rows),
        note=(
            "A count of lost packets grows with the duration, a ratio does not. Equation 1 "
            "divides the sum of all delays by the number of connections, not of packets: its "
            "value grows with the packets received, so that whoever delivers more looks slower. "
            "We divide by packets everywhere else."
        ),
        records=records,
    )


def ranking(evidence: Evidence) -> Table:
    """Table IV: published grades (derived) and ours, by parameter."""
    ours = grades.ours(evidence)
    theirs = grades.theirs(evidence)
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for column, ranks in ours.items():
        reading = evidence.readings[grades.reading_of(column)].title
        rows.append(
            (
                f"{MEASURES[column].title}, {reading}",
                *(
                    f"{theirs[column][name]} / {grades.grade_text(ranks[name])}"
                    for name in PUBLISHED
                ),
            )
        )
        records.append(
            {"parameter": column, "reading": reading}
            | {f"{name}_published": theirs[column][name] for name in PUBLISHED}
            | {f"{name}_ours": ranks[name].grade for name in PUBLISHED}
            | {f"{name}_ties": list(ranks[name].ties) for name in PUBLISHED}
        )
    means = grades.mean_rank(ours)
    rows.append(("Mean rank of ours", *(f"{means[name]:g}" for name in PUBLISHED)))
    return Table(
        id="table-four",
        caption="Table IV, published / ours",
        header=("Parameter", *(label(name) for name in PUBLISHED)),
        rows=tuple(rows),
        note=(
            "Published: derived from Table III as the text defines it (A the best value, D the "
            "worst), since Table IV is missing from our copy. Ours: a grade is given away only "
            "where the paired 95 % intervals separate after Holm's correction over the six "
            'pairs; "=" marks a tie with at least one other.'
        ),
        records=records,
    )


def sections(evidence: Evidence, candidates: Sequence[Candidate] = ()) -> tuple[Section, ...]:
    """What follows the comparison, in the order of the page; `candidates` are those of a search."""
    tables = (ranking(evidence), beside_counts(evidence))
    return (
        Section("ranking", "Ranking", (), tables),
        calibration.section(evidence, candidates, calibrated.words()),
    )
