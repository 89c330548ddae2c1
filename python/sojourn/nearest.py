"""What was meant by a word that is not known."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def hint(found: str, known: Iterable[str]) -> str:
    """``; did you mean 'codel'?``, or nothing where no known word is near."""
    nearest = difflib.get_close_matches(found, list(known), 1)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""
