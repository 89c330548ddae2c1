"""What the engine has: its disciplines, congestion controls and traffic sources."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sojourn import _core


@cache
def entries(registry: str) -> dict[str, dict[str, Any]]:
    """What stands in `disciplines`, `congestion_controls` or `sources`, by its name.

    An entry has its `name` and `title`, its `manual` in Markdown and its `params`. It is read
    once, for all: look at it, do not change it.
    """
    return {entry["name"]: entry for entry in json.loads(_core.reference())[registry]}
