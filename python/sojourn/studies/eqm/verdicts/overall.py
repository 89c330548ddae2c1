"""Verdicts on the ranking: Table IV and the conclusions."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.eqm import grades
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label, labels
from sojourn.studies.eqm.measures import MEASURES
from sojourn.studies.eqm.verdicts.common import Rule
from sojourn.studies.judging import not_measured


def three_of_five(evidence: Evidence) -> Verdict:
    """In how many parameters EQM is the best, alone."""
    ranks = grades.ours(evidence)
    theirs = grades.theirs(evidence)
    best = [column for column, one in ranks.items() if one["eqm"].rank == 1 and not one["eqm"].ties]
    printed = [column for column, one in theirs.items() if one["eqm"] == "A"]

    def names(columns: list[str]) -> str:
        return ", ".join(MEASURES[column].title.lower() for column in columns) or "none"

    lost = [column for column in printed if column not in best]
    reason = f"{label('eqm')} is the best alone, by intervals that separate, in {len(best)} of " + (
        f"{len(ranks)} parameters ({names(best)})"
    )
    reason += f"; not in: {names(lost)}." if lost else "."
    return Verdict(
        evidence.published.claims["grades"],
        Outcome.AGREES if set(best) == set(printed) else Outcome.DISAGREES,
        f"best in {len(printed)} of {len(theirs)}: {names(printed)}",
        ", ".join(
            f"{MEASURES[column].title.lower()} {grades.grade_text(one['eqm'])}"
            for column, one in ranks.items()
        ),
        reason,
    )


def better_at_high_load(evidence: Evidence) -> Verdict:
    """EQM's rank in loss and utilisation above the capacity against up to it."""
    columns = ("loss", "utilisation_percent")
    for column in columns:
        for reading in ("below", "above"):
            sample = evidence.sample(column, reading)
            if not sample.measured:
                claim = evidence.published.claims["high-load"]
                return not_measured(sample).on(claim, "better at higher loads")
    below = {column: evidence.ranks(column, "below")["eqm"] for column in columns}
    above = {column: evidence.ranks(column, "above")["eqm"] for column in columns}
    agree = all(above[column].rank < below[column].rank for column in columns)
    texts: list[str] = []
    for column in columns:
        behind = above[column].beaten_by
        texts.append(
            f"{MEASURES[column].title.lower()}: {grades.grade_text(below[column])} up to "
            f"{evidence.ours.capacity_mbps:g} Mbit/s, {grades.grade_text(above[column])} above"
            + (f" (behind {labels(behind)})" if behind else "")
        )
    return Verdict(
        evidence.published.claims["high-load"],
        Outcome.AGREES if agree else Outcome.DISAGREES,
        "better at higher loads",
        "; ".join(texts),
        f"{label('eqm')}'s grade "
        + ("improves" if agree else "does not improve")
        + " with the load in both. Dropping early costs packets exactly where the queue is long.",
    )


def best_overall(evidence: Evidence) -> Verdict:
    """Ranks averaged over the five parameters."""
    means = grades.mean_rank(grades.ours(evidence))
    least = min(means.values())
    first = [name for name in PUBLISHED if means[name] == least]
    reason = (
        f"Lowest mean rank: {labels(first)} ({least:g}; ties share the better rank). Five "
        f"parameters weighted equally count one thing twice: on common arrivals throughput, "
        f"utilisation and loss are one order, and so are queue and delay."
    )
    return Verdict(
        evidence.published.claims["overall"],
        Outcome.AGREES if first == ["eqm"] else Outcome.DISAGREES,
        "EQM best",
        "mean rank " + ", ".join(f"{label(name)} {means[name]:g}" for name in PUBLISHED),
        reason,
    )


def of_ranks(claim: str, said: str, rule: Rule) -> Rule:
    """The rule, where there are replicas enough for ranks."""

    def told(evidence: Evidence) -> Verdict:
        sample = evidence.sample("loss", "all")
        if sample.measured:
            return rule(evidence)
        return not_measured(sample).on(evidence.published.claims[claim], said)

    return told


RULES: dict[str, Rule] = {
    "grades": of_ranks("grades", "EQM best in three of five", three_of_five),
    "high-load": of_ranks("high-load", "better at higher loads", better_at_high_load),
    "overall": of_ranks("overall", "EQM best", best_overall),
}
