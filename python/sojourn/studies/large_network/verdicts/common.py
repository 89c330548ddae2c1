"""What the rules of this study share."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sojourn.studies.claims import Verdict
from sojourn.studies.judging import Judgement, label
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.tables import figure_text

Rule = Callable[[Evidence], Verdict]
Judge = Callable[[Evidence], Judgement]


def judged(claim: str, published: str, judge: Judge) -> Rule:
    """The rule for a claim that one judgement settles."""

    def rule(evidence: Evidence) -> Verdict:
        return judge(evidence).on(evidence.claim(claim), published)

    return rule


def printed(numbers: Mapping[str, float], unit: str) -> str:
    """Printed numbers as text."""
    texts = (f"{label(name)} {figure_text(value)}" for name, value in numbers.items())
    return f"{', '.join(texts)} {unit}"
