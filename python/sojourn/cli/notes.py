"""What commands say on stderr beside their results."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING

from sojourn.cli.names import in_options
from sojourn.cli.options import IntervalName

if TYPE_CHECKING:
    from sojourn.scenario import Scenario


def note(text: str) -> None:
    """Print a line."""
    print(text, file=sys.stderr)


def warn(text: str) -> None:
    """Print a warning."""
    note(f"warning: {text}")


def print_warnings(scenario: Scenario) -> None:
    """Print what is allowed but a known mistake."""
    for warning in scenario.warnings:
        warn(in_options(warning))


def print_interval_warning(interval: IntervalName, points: Collection[int]) -> None:
    """Say where a bootstrap has too few replicas to keep its promise.

    ``points`` has the point of each run.
    """
    if interval is not IntervalName.BOOTSTRAP:
        return
    from sojourn.stats.bootstrap import FEWEST

    fewest = min(Counter(points).values(), default=FEWEST)
    if fewest < FEWEST:
        warn(f"bootstrap intervals of fewer than {FEWEST} replicas are too narrow: found {fewest}")
