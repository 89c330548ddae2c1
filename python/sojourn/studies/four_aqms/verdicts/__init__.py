"""A verdict for each claim of the publication: one file per part of it."""

from __future__ import annotations

from sojourn.studies.claims import Verdict
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.four_aqms.verdicts import (
    delay,
    descriptions,
    fairness,
    loss,
    throughput,
    window,
)

RULES = {
    **descriptions.RULES,
    **fairness.RULES,
    **throughput.RULES,
    **window.RULES,
    **delay.RULES,
    **loss.RULES,
}
"""Claim -> the rule that passes its verdict."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the publication.

    Raises KeyError when a claim has no rule, so that none can be passed over.
    """
    return tuple(RULES[claim](evidence) for claim in evidence.chosen.published.claims)
