"""Sojourn: a laboratory for queue management.

>>> import sojourn as sj
>>> results = sj.run("scenarios/on-off-overload.toml", replicas=10)
>>> results.links  # a polars frame, one row for each point, replica and link
>>> codel = sj.queue.CoDel(target="5 ms")
>>> home = sj.dumbbell(rate="10 Mbit/s", rtt="40 ms", queue=codel, flows=4 * sj.tcp("cubic"))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from sojourn._core import LedgerError, ScenarioError, UserCodeError, __version__

if TYPE_CHECKING:
    from sojourn import params, queue, rl, source, testing, transport
    from sojourn.build import (
        dumbbell,
        from_networkx,
        link,
        network,
        parking_lot,
        star,
        tcp,
        to_networkx,
        tree,
        udp,
    )
    from sojourn.experiments.sweep import sweep
    from sojourn.own.native import njit_policy, uniform
    from sojourn.results import Results
    from sojourn.runner import run
    from sojourn.scenario import Scenario

__all__ = [
    "LedgerError",
    "Results",
    "Scenario",
    "ScenarioError",
    "UserCodeError",
    "__version__",
    "dumbbell",
    "from_networkx",
    "link",
    "network",
    "njit_policy",
    "params",
    "parking_lot",
    "queue",
    "rl",
    "run",
    "source",
    "star",
    "sweep",
    "tcp",
    "testing",
    "to_networkx",
    "transport",
    "tree",
    "udp",
    "uniform",
]

_LATE = {
    "Results": "sojourn.results",
    "Scenario": "sojourn.scenario",
    "run": "sojourn.runner",
    "sweep": "sojourn.experiments.sweep",
}
_LATE |= dict.fromkeys(
    ("dumbbell", "from_networkx", "link", "network", "parking_lot", "star", "tcp"), "sojourn.build"
)
_LATE |= dict.fromkeys(("to_networkx", "tree", "udp"), "sojourn.build")
_LATE |= dict.fromkeys(("njit_policy", "uniform"), "sojourn.own.native")
"""Names and their modules: imported when first asked for, since some bring polars and SciPy."""

_MODULES = ("params", "queue", "rl", "source", "testing", "transport")


def __getattr__(name: str) -> Any:
    """Import what is heavy when it is asked for."""
    if name in _MODULES:
        return importlib.import_module(f"sojourn.{name}")
    if name not in _LATE:
        raise AttributeError(f"module 'sojourn' has no attribute {name!r}")
    value = getattr(importlib.import_module(_LATE[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names, imported or not. Completion looks at each: what cannot be is left out."""
    from importlib.util import find_spec

    missing = {"rl"} if find_spec("gymnasium") is None else set[str]()
    return sorted({*__all__} - missing)
