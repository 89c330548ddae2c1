"""Sojourn: a laboratory for queue management.

>>> import sojourn as sj
>>> results = sj.run("scenarios/on-off-overload.toml", replicas=10)
>>> results.links  # a polars frame, one row for each point, replica and link
"""

from sojourn._core import LedgerError, ScenarioError, __version__
from sojourn.results import Results
from sojourn.run import run
from sojourn.scenario import Scenario

__all__ = ["LedgerError", "Results", "Scenario", "ScenarioError", "__version__", "run"]
