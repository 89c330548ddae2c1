"""Sojourn: a laboratory for queue management.

>>> import sojourn as sj
>>> results = sj.run("scenarios/on-off-overload.toml", replicas=10)
>>> results.links  # a polars frame, one row for each point, replica and link
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sojourn._core import LedgerError, ScenarioError, __version__
from sojourn.scenario import Scenario

if TYPE_CHECKING:
    from sojourn.results import Results
    from sojourn.runner import run

__all__ = ["LedgerError", "Results", "Scenario", "ScenarioError", "__version__", "run"]

_LATE = {"Results": "sojourn.results", "run": "sojourn.runner"}
"""Names whose modules bring polars and SciPy: imported when first asked for."""


def __getattr__(name: str) -> Any:
    """Import what is heavy when it is asked for."""
    if name not in _LATE:
        raise AttributeError(f"module 'sojourn' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LATE[name]), name)
    globals()[name] = value
    return value
