"""The disciplines of the study, and their names in every text and table."""

from __future__ import annotations

from sojourn.studies.judging import label, labels

__all__ = ["DISCIPLINES", "PUBLISHED", "label", "labels", "published_label"]

PUBLISHED = ("eqm", "red", "rem", "sfq")
"""The disciplines that the publication compares, in its order."""

DISCIPLINES = (*PUBLISHED, "droptail")
"""All that the study runs; drop-tail is the bound."""


def published_label(discipline: str) -> str:
    """The name for a published number: the publication ran EQM itself, not a reconstruction."""
    return "EQM" if discipline == "eqm" else label(discipline)
