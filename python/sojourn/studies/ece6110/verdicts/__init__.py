"""A verdict for each claim of the report: one file per part of its text."""

from __future__ import annotations

from sojourn.studies.claims import Verdict
from sojourn.studies.ece6110.evidence import Evidence
from sojourn.studies.ece6110.scenario import PACKAGE
from sojourn.studies.ece6110.verdicts import against, droptail, red, setup
from sojourn.studies.publication import read

RULES = {**setup.RULES, **droptail.RULES, **red.RULES, **against.RULES}
"""Claim -> the rule that passes its verdict."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the report.

    Raises KeyError when a claim has no rule, so that none can be passed over.
    """
    return tuple(RULES[claim](evidence) for claim in read(PACKAGE).claims)
