"""How a name is refused that is none of those allowed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def refusal(found: str, allowed: Iterable[str], further: str = "") -> str:
    """``found "cdoel"; allowed: droptail, red, codel; did you mean "codel"?``

    ``further`` says in words what else is allowed.
    """
    names = list(allowed)
    near = difflib.get_close_matches(found, names, 1)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    return f'found "{found}"; allowed: {", ".join(names) or "none yet"}{further}{hint}'
