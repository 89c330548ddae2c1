"""Rules: from the evidence to a verdict. Most claims are orders over the four disciplines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.measures import PUBLISHED
from sojourn.studies.judging import End, Judgement, apart, extreme, label, labels
from sojourn.studies.tables import MISSING

Rule = Callable[[Evidence], Verdict]

Judge = Callable[[Reading], Judgement]
"""Judges an order under one reading of the publication."""

ORDERS: dict[str, Judge] = {}
"""Claims that can be judged again under every reading, filled by `order` and `below`."""


def verdict(
    evidence: Evidence, claim: str, outcome: Outcome, published: str, ours: str, reason: str
) -> Verdict:
    """A verdict on the claim of that name."""
    return Verdict(evidence.chosen.published.claims[claim], outcome, published, ours, reason)


def agrees(holds: bool) -> Outcome:
    """The outcome of a claim that can be measured."""
    return Outcome.AGREES if holds else Outcome.DISAGREES


def contradicts(claim: str, published: str, reason: str, column: str | None = None) -> Rule:
    """The rule for a claim that the publication itself gainsays, our numbers beside it if any."""

    def rule(evidence: Evidence) -> Verdict:
        ours = evidence.chosen.sample(column).text() if column else MISSING
        return verdict(evidence, claim, Outcome.CONTRADICTS_ITSELF, published, ours, reason)

    return rule


def order(claim: str, column: str, who: str, end: End, more: str = "") -> Rule:
    """The rule for "`who` has the lowest (highest) value of the four"; `more` ends the reason."""

    def judge(reading: Reading) -> Judgement:
        return extreme(reading.sample(column), who, end)

    return judged(claim, judge, f"{label(who)} {end}", more)


def below(
    claim: str,
    column: str,
    lower: Sequence[str],
    higher: Sequence[str],
    disciplines: tuple[str, ...] = PUBLISHED,
    more: str = "",
) -> Rule:
    """The rule for "each of `lower` lies below each of `higher`"."""

    def judge(reading: Reading) -> Judgement:
        return apart(reading.sample(column, disciplines), lower, higher)

    return judged(claim, judge, f"{labels(lower)} below {labels(higher)}", more)


def judged(claim: str, judge: Judge, published: str, more: str = "") -> Rule:
    """The rule of a judgement that can be passed under every reading."""
    ORDERS[claim] = judge

    def rule(evidence: Evidence) -> Verdict:
        found = judge(evidence.chosen)
        reason = f"{found.reason} {more}".rstrip()
        return verdict(evidence, claim, found.outcome, published, found.ours, reason)

    return rule
