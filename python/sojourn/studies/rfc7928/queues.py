"""The disciplines under test, as `sojourn compare` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sojourn._core import ScenarioError
from sojourn.comparison.question import Question

BASE = "droptail"
"""What all others are held against (section 8.2.6)."""

DEFAULT = "red; codel; pie; fq_codel"

Tables = Mapping[str, dict[str, Any]]


def read(text: str) -> tuple[str, ...]:
    """A reader for disciplines with semicolons between them; drop-tail comes first, always."""
    names = [name.strip() for name in text.split(";") if name.strip()]
    if not names:
        raise ValueError("found none; allowed: one or several, such as “codel; pie,target=5 ms”")
    wanted = tuple(dict.fromkeys((BASE, *names)))
    if wanted == (BASE,):
        raise ValueError("found drop-tail alone; allowed: one or several to hold against it")
    try:
        Question(wanted).scenario()
    except ScenarioError as error:
        raise ValueError(str(error)) from None
    return wanted


def tables(wanted: tuple[str, ...], *, ecn: bool = False) -> Tables:
    """The `queue` tables by their names in print; with `ecn` all mark that can."""
    question = Question(wanted, ecn=ecn)
    return dict(zip(question.labels(), question.queues(), strict=True))
