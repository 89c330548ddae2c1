"""A verdict for each claim of the paper: one file per part of it."""

from __future__ import annotations

from sojourn.studies.claims import Verdict
from sojourn.studies.large_network import published
from sojourn.studies.large_network.evidence import Evidence
from sojourn.studies.large_network.verdicts import adaptive, networks, overall, proofs

RULES = {**networks.RULES, **adaptive.RULES, **overall.RULES, **proofs.RULES}
"""Claim -> the rule that passes its verdict."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the paper.

    Raises KeyError when a claim has no rule, so that none can be passed over.
    """
    return tuple(RULES[claim](evidence) for claim in published.load().claims)
