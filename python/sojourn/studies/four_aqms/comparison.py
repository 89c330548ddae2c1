"""What the study measured, in one table: the publication prints no numbers of its own."""

from __future__ import annotations

from typing import Any

from sojourn.studies import readings
from sojourn.studies.base import Section
from sojourn.studies.four_aqms import against_ns2
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.four_aqms.measures import DISCIPLINES, MEASURES
from sojourn.studies.four_aqms.verdicts.common import ORDERS
from sojourn.studies.judging import label
from sojourn.studies.tables import Table, interval_numbers, interval_text

LEFT_OUT = ("ack_drops", "loss_rate", "queueing_p99_ms")
"""Measures that only a verdict quotes."""


def comparison(evidence: Evidence) -> Table:
    """Every measure by discipline."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for column, measure in MEASURES.items():
        if column in LEFT_OUT:
            continue
        intervals = evidence.chosen.intervals(column)
        texts = (interval_text(intervals[name]) for name in DISCIPLINES)
        rows.append((measure.heading, measure.of, *texts))
        records.append(
            {"quantity": measure.heading, "of": measure.of} | interval_numbers(intervals)
        )
    return Table(
        id="measures",
        caption="What each discipline did",
        header=("Quantity", "Of", *(label(name) for name in DISCIPLINES)),
        rows=tuple(rows),
        note=(
            "Mean over the replicas ± half the 95 % interval (Student). The publication prints no "
            "numbers, only graphs. Drop-tail is not in its figures: it is the yardstick."
        ),
        records=records,
    )


def sections(evidence: Evidence) -> tuple[Section, ...]:
    """What follows the comparison, in the order of the page."""
    claims = evidence.chosen.published.claims
    return (
        readings.section(claims, ORDERS, evidence.chosen, evidence.readings),
        against_ns2.section(evidence),
    )
