"""The disciplines of the study, and their names in every text and table."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.plots.looks import look

PUBLISHED = ("eqm", "red", "rem", "sfq")
"""The disciplines that the publication compares, in its order."""

DISCIPLINES = (*PUBLISHED, "droptail")
"""All that the study runs; drop-tail is the bound."""


def label(discipline: str) -> str:
    """The name of a discipline in print."""
    return look(discipline).label


def published_label(discipline: str) -> str:
    """The name for a published number: the publication ran EQM itself, not a reconstruction."""
    return "EQM" if discipline == "eqm" else label(discipline)


def labels(disciplines: Sequence[str]) -> str:
    """Several names in print: "RED, REM and SFQ"."""
    names = [label(one) for one in disciplines]
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]
