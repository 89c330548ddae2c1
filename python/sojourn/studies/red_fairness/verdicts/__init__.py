"""A verdict for each claim of the publication: one file per part of it."""

from __future__ import annotations

from sojourn.studies.claims import Verdict
from sojourn.studies.red_fairness.evidence import Evidence
from sojourn.studies.red_fairness.verdicts import descriptions, fairness, overall, throughput

RULES = {
    **descriptions.RULES,
    **throughput.RULES,
    **fairness.RULES,
    **overall.RULES,
}
"""Claim -> the rule that passes its verdict."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the publication.

    Raises KeyError when a claim has no rule, so that none can be passed over.
    """
    return tuple(RULES[claim](evidence) for claim in evidence.chosen.published.claims)
