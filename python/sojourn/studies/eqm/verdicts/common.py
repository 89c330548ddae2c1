"""The two kinds of rule that most claims need: an order, and printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from sojourn.stats import Interval
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, labels, published_label
from sojourn.studies.eqm.measures import MEASURES
from sojourn.studies.tables import figure_text, interval_text, percent_text

Rule = Callable[[Evidence], Verdict]

NEAR = 0.05
"""A printed number agrees if it lies inside our interval or within this share of our mean: it has
an error of its own, which the publication does not give."""


def printed(evidence: Evidence, row: str) -> str:
    """A row of Table III as text."""
    values = evidence.published.table_three[row].values
    return ", ".join(f"{published_label(name)} {values[name]:g}" for name in PUBLISHED)


def side_by_side(intervals: dict[str, Interval], unit: str) -> str:
    """Our means as text, with their unit."""
    texts = [f"{label(name)} {interval_text(one)}" for name, one in intervals.items()]
    return ", ".join(texts) + (f" {unit}" if unit else "")


def difference_text(evidence: Evidence, column: str, reading: str, a: str, b: str) -> str:
    """The adjusted paired difference a - b in words."""
    for one in evidence.comparisons(column, reading):
        if {one.first, one.second} == {a, b}:
            sign = 1 if one.first == a else -1
            mean, low, high = one.interval.mean, one.interval.low, one.interval.high
            if mean is None:
                break
            text = f"{label(a)} - {label(b)} = {figure_text(sign * mean)}"
            if low is None or high is None:
                return text
            ends = sorted((sign * low, sign * high))
            return f"{text} [{figure_text(ends[0])}, {figure_text(ends[1])}]"
    return f"{label(a)} - {label(b)} undefined"


def order(
    claim: str,
    column: str,
    reading: str,
    who: str,
    end: Literal["lowest", "highest"],
    row: str | None = None,
) -> Rule:
    """The rule for "`who` has the lowest (highest) value": it must separate from all others."""

    def rule(evidence: Evidence) -> Verdict:
        measure = MEASURES[column]
        ranks = evidence.ranks(column, reading, "lower" if end == "lowest" else "higher")
        mine = ranks[who]
        title = evidence.readings[reading].title
        ours = side_by_side(
            evidence.intervals(column, reading, PUBLISHED), f"{measure.unit} ({title})"
        )
        if not any(one.interval.n for one in ranks.values()):
            outcome = Outcome.DISAGREES
            reason = f"Not measured: no run with {title}."
        elif not mine.beaten_by and not mine.ties:
            nearest = min(
                mine.beats,
                key=lambda name: abs(
                    (ranks[name].interval.mean or 0.0) - (mine.interval.mean or 0.0)
                ),
            )
            outcome = Outcome.AGREES
            reason = (
                f"{label(who)} is the {end}, separated from each of the others; nearest: "
                f"{difference_text(evidence, column, reading, who, nearest)} {measure.unit}."
            )
        elif mine.beaten_by:
            outcome = Outcome.DISAGREES
            word = "lower" if end == "lowest" else "higher"
            differences = "; ".join(
                difference_text(evidence, column, reading, who, name) for name in mine.beaten_by
            )
            verb = "is" if len(mine.beaten_by) == 1 else "are"
            reason = (
                f"{labels(mine.beaten_by)} {verb} {word}: {differences} {measure.unit} "
                f"(paired, adjusted intervals)."
            )
        elif all(ranks[name].interval == mine.interval for name in ranks):
            outcome = Outcome.DISAGREES
            reason = (
                f"No difference at all: each of them has {interval_text(mine.interval)} "
                f"{measure.unit} over {title}."
            )
        else:
            outcome = Outcome.DISAGREES
            differences = "; ".join(
                difference_text(evidence, column, reading, who, name) for name in mine.ties
            )
            reason = (
                f"No difference that the intervals carry: {label(who)} ties with "
                f"{labels(mine.ties)} ({differences} {measure.unit})."
            )
        table = printed(evidence, row) if row else f"{published_label(who)} {end}"
        return Verdict(evidence.published.claims[claim], outcome, table, ours, reason)

    return rule


def near(value: float, interval: Interval) -> bool:
    """Whether a printed value agrees with our interval."""
    if interval.mean is None:
        return False
    return interval.contains(value) or abs(value - interval.mean) <= NEAR * abs(interval.mean)


def cells(
    claim: str, row: str, column: str, reading_names: Sequence[str], scale: float = 1.0
) -> Rule:
    """The rule for the numbers of a row: all of them must agree under one of the readings.

    `scale` turns a printed number into our unit.
    """

    def rule(evidence: Evidence) -> Verdict:
        measure = MEASURES[column]
        values = evidence.published.table_three[row].values
        best: tuple[int, str] = (-1, reading_names[0])
        texts: list[str] = []
        for name in reading_names:
            intervals = evidence.intervals(column, name, PUBLISHED)
            agreeing = [one for one in PUBLISHED if near(scale * values[one], intervals[one])]
            best = max(best, (len(agreeing), name), key=lambda pair: pair[0])
            title = evidence.readings[name].title
            texts.append(f"{title}: {side_by_side(intervals, measure.unit)}")
        agree = best[0] == len(PUBLISHED)
        chosen = evidence.intervals(column, best[1], PUBLISHED)
        ratios = ", ".join(
            f"{label(one)} {figure_text(scale * values[one] / mean)}"
            for one in PUBLISHED
            if (mean := chosen[one].mean)
        )
        within = f"inside our 95 % interval or within {percent_text(NEAR)} of our mean"
        reason = (
            f"{best[0]} of {len(PUBLISHED)} numbers lie {within} over "
            f"{evidence.readings[best[1]].title}; published / ours: {ratios or 'undefined'}."
        )
        return Verdict(
            evidence.published.claims[claim],
            Outcome.AGREES if agree else Outcome.DISAGREES,
            printed(evidence, row),
            "; ".join(texts),
            reason,
        )

    return rule
