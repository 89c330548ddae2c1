"""A verdict for each claim of the publication: one file per parameter of Table III."""

from __future__ import annotations

from sojourn.studies.claims import Verdict
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.verdicts import (
    delay,
    loss,
    overall,
    queue,
    throughput,
    utilisation,
)

RULES = {
    **queue.RULES,
    **delay.RULES,
    **loss.RULES,
    **throughput.RULES,
    **utilisation.RULES,
    **overall.RULES,
}
"""Claim -> the rule that passes its verdict."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the publication.

    Raises KeyError when a claim has no rule, so that none can be passed over.
    """
    return tuple(RULES[claim](evidence) for claim in evidence.published.claims)
