"""What was meant by a word that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

LIKENESS = 0.6
"""How alike, from 0 to 1, two words must be for one to be taken for the other."""


SHORTEST_PREFIX = 3
"""How many letters of a word at least tell which it may be."""


def nearest(found: str, known: Iterable[str], likeness: float = LIKENESS) -> str | None:
    """The known word that is most like the one found; None where none is near."""
    return next(iter(difflib.get_close_matches(found, list(known), 1, likeness)), None)


def hint(found: str, known: Iterable[str]) -> str:
    """``; did you mean "codel"?``, or nothing where no known word begins so or is near."""
    names = list(known)
    begun = (name for name in names if name.startswith(found) and len(found) >= SHORTEST_PREFIX)
    meant = next(begun, None) or nearest(found, names)
    return f'; did you mean "{meant}"?' if meant else ""


def hint_or_all(found: str, known: Iterable[str]) -> str:
    """``; did you mean "codel"?``, or all known words where none is near."""
    names = list(known)
    return hint(found, names) or f"; there are: {', '.join(names)}"


def refusal(found: str, allowed: Iterable[str], further: str = "") -> str:
    """``found "cdoel"; allowed: droptail, red, codel; did you mean "codel"?``

    ``further`` says in words what else is allowed.
    """
    names = list(allowed)
    listed = ", ".join(names) or "none yet"
    return f'found "{found}"; allowed: {listed}{further}{hint(found, names)}'
