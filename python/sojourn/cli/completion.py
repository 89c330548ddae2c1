"""What the shell completes beyond commands and options."""

from __future__ import annotations

import json

from sojourn import _core


def disciplines_like(incomplete: str) -> list[str]:
    """The disciplines whose names begin so."""
    names = [entry["name"] for entry in json.loads(_core.reference())["disciplines"]]
    return [name for name in names if name.startswith(incomplete)]


def studies_like(incomplete: str) -> list[str]:
    """The studies whose names begin so."""
    from sojourn import studies

    return [name for name in (*studies.names(), "all") if name.startswith(incomplete)]
