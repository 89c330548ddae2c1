"""What was meant by a word that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def hint(found: str, known: Iterable[str]) -> str:
    """``; did you mean "codel"?``, or nothing where no known word is near."""
    nearest = difflib.get_close_matches(found, list(known), 1)
    return f'; did you mean "{nearest[0]}"?' if nearest else ""


def refusal(found: str, allowed: Iterable[str], further: str = "") -> str:
    """``found "cdoel"; allowed: droptail, red, codel; did you mean "codel"?``

    ``further`` says in words what else is allowed.
    """
    names = list(allowed)
    listed = ", ".join(names) or "none yet"
    return f'found "{found}"; allowed: {listed}{further}{hint(found, names)}'
