"""The two kinds of rule that most claims need: an order, and printed numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, published_label
from sojourn.studies.eqm.measures import MEASURES
from sojourn.studies.judging import NEAR_WORDS, End, extreme, near, not_measured, side_by_side
from sojourn.studies.tables import figure_text

Rule = Callable[[Evidence], Verdict]


def printed(evidence: Evidence, row: str) -> str:
    """A row of Table III as text."""
    values = evidence.published.table_three[row].values
    return ", ".join(f"{published_label(name)} {values[name]:g}" for name in PUBLISHED)


def difference_text(evidence: Evidence, column: str, reading: str, a: str, b: str) -> str:
    """The adjusted paired difference a - b in words."""
    return evidence.sample(column, reading).difference_text(a, b)


def order(
    claim: str,
    column: str,
    reading: str,
    who: str,
    end: End,
    row: str | None = None,
) -> Rule:
    """The rule for "`who` has the lowest (highest) value": it must separate from all others."""

    def rule(evidence: Evidence) -> Verdict:
        table = printed(evidence, row) if row else f"{published_label(who)} {end}"
        found = extreme(evidence.sample(column, reading), who, end)
        return found.on(evidence.published.claims[claim], table)

    return rule


def cells(
    claim: str, row: str, column: str, reading_names: Sequence[str], scale: float = 1.0
) -> Rule:
    """The rule for the numbers of a row: all of them must agree under one of the readings.

    `scale` turns a printed number into our unit.
    """

    def rule(evidence: Evidence) -> Verdict:
        measure = MEASURES[column]
        values = evidence.published.table_three[row].values
        samples = {name: evidence.sample(column, name) for name in reading_names}
        measured = [name for name, sample in samples.items() if sample.measured]
        if not measured:
            missing = not_measured(samples[reading_names[0]])
            return missing.on(evidence.published.claims[claim], printed(evidence, row))
        best: tuple[int, str] = (-1, measured[0])
        texts: list[str] = []
        for name in measured:
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
        reason = (
            f"{best[0]} of {len(PUBLISHED)} numbers lie {NEAR_WORDS} over "
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
