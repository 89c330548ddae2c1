"""What the rules of this study share."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sojourn.studies.claims import Verdict
from sojourn.studies.ece6110.evidence import LOAD_NAMES, Evidence
from sojourn.studies.judging import Judgement
from sojourn.studies.trends import all_of

Rule = Callable[[Evidence], Verdict]

SMALL = LOAD_NAMES[:2]
"""The loads that the report calls smaller, by opposition to 90 and 100 %."""

LARGE = LOAD_NAMES[2:]
"""Those it sets apart."""


def at_loads(
    claim: str,
    published: str,
    judge: Callable[[Evidence, str], Judgement],
    loads: Iterable[str] = LOAD_NAMES,
) -> Rule:
    """The rule for a claim that must hold at each of some loads."""
    wanted = tuple(loads)

    def rule(evidence: Evidence) -> Verdict:
        parts = {f"{load} load": judge(evidence, load) for load in wanted}
        return all_of(parts).on(evidence.claim(claim), published)

    return rule


def judged(claim: str, published: str, judge: Callable[[Evidence], Judgement]) -> Rule:
    """The rule for a claim that one judgement settles."""

    def rule(evidence: Evidence) -> Verdict:
        return judge(evidence).on(evidence.claim(claim), published)

    return rule
