"""What came out of the runs of a scenario, before any frame is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sojourn._core import __version__
from sojourn.remarks import remarks
from sojourn.scenario import Scenario
from sojourn.stats.alike import alike
from sojourn.summary import IntervalKind, summarise
from sojourn.tables import stacked
from sojourn.workers.tasks import Outcome


@dataclass(frozen=True)
class Outcomes:
    """The finished runs, in the order of points and replicas: all that a summary needs.

    They are ``complete`` if none of the scenario is missing: none was ``interrupted``, and not one
    point alone was asked for. ``noted`` is what was to be said while they were carried out.
    ``sojourn.results.of_outcomes`` makes frames of them.
    """

    scenario: Scenario
    each: Sequence[Outcome]
    complete: bool
    noted: Sequence[str] = ()
    interrupted: bool = False
    sojourn: str = __version__

    @property
    def points(self) -> list[int]:
        """The point of each run."""
        return [outcome.task.point for outcome in self.each]

    @cached_property
    def tables(self) -> dict[str, dict[str, Sequence[Any]]]:
        """Their tables as columns."""
        return stacked(self.each)

    @cached_property
    def alike(self) -> set[int]:
        """The points whose replicas are all the same run, to the bit; they count as one."""
        return alike((self.tables["links"], self.tables["flows"]))

    @property
    def warnings(self) -> list[str]:
        """What is to be said about them."""
        groups = self.tables["groups"]
        # Without any run or flow there is no such column.
        sent = groups.get("sent_packets", ())
        return [*self.noted, *remarks(groups["group"], sent, self.alike, self.scenario.vary)]

    def summary(self, interval: IntervalKind) -> dict[str, Any]:
        """The document that ``sojourn run --json`` prints."""
        return summarise(self, self.tables, interval)
