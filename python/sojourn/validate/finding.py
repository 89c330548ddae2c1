"""One line of the table: a number of ours beside one of a peer, a formula or a law."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """What became of a check."""

    AGREES = "agrees"
    BY_SPREAD = "agrees by spread"
    EXPLAINED = "differs, explained"
    DIFFERS = "differs"


OUTSIDE = (Verdict.EXPLAINED, Verdict.DIFFERS)
"""Verdicts of what is not within its tolerance."""


@dataclass(frozen=True)
class Finding:
    """A check and what became of it; several numbers are separated by blanks."""

    evidence: str
    """The folder."""
    discipline: str
    case: str
    """What distinguishes it: settings, or the preset."""
    check: str
    ours: str
    theirs: str
    tolerance: str
    verdict: Verdict
    source: str
    """Who says so: a peer with the command that gives its number, a paper, a law."""
    reason: str = ""
    """Why they differ, where that is known."""


def number(value: float) -> str:
    """Write a number with five digits."""
    return f"{value:.5g}"
