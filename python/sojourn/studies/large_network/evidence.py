"""What the verdicts are passed on: the observations, and under which reading to look at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from sojourn.stats import Interval, paired_difference, separated
from sojourn.studies.base import Frames
from sojourn.studies.claims import Claim
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings
from sojourn.studies.large_network import measures, published, scenario
from sojourn.studies.large_network.disciplines import PUBLISHED
from sojourn.studies.large_network.scenario import LIMITS, SENDERS, limit_name, senders_name
from sojourn.studies.observed import Observed, Values
from sojourn.studies.trends import Scale

ONE = senders_name(SENDERS[0])
"""The reading of the first network that verdicts rest on."""

MANY = measures.CASES["many-to-many"]
"""The same of the second."""

ONE_READINGS = (
    *(senders_name(count) for count in SENDERS),
    measures.CASES["many-to-one-udp"],
)

MANY_READINGS = tuple(
    measures.CASES[name] for name in ("many-to-many", "case-1", "case-2", "case-3", "all-to-all")
)


@dataclass(frozen=True)
class Evidence:
    """The observations; `one` and `many` are the cases that stand for the two networks."""

    seen: Observed
    varying: Observed
    timed: pl.DataFrame
    settings: Settings
    one: str = ONE
    many: str = MANY

    @property
    def received(self) -> pl.Series:
        """The throughputs."""
        return self.seen.frame["throughput"]

    @property
    def observations(self) -> pl.DataFrame:
        """The rows of all parts but the one over time."""
        return self.seen.frame

    def read_as(self, *, one: str = ONE, many: str = MANY) -> Evidence:
        """The same observations under another reading."""
        return replace(self, one=one, many=many)

    @property
    def published(self) -> published.Published:
        """The paper."""
        return published.load()

    def claim(self, name: str) -> Claim:
        """A claim of the paper."""
        return self.published.claims[name]

    def values(self, column: str, case: str, subject: str) -> Values:
        """One value per replica."""
        return self.seen.values(column, case, subject)

    def interval(self, column: str, case: str, subject: str) -> Interval:
        """Mean and 95 % interval."""
        return self.seen.interval(column, case, subject)

    def sample(self, column: str, case: str, subjects: Sequence[str] = PUBLISHED) -> Sample:
        """A measure of several disciplines, ready to be judged."""
        return self.seen.sample(column, case, subjects)

    @property
    def phase_effect(self) -> bool:
        """Whether short queues are shared less evenly where all links have one rate."""
        same, faster = (
            self.values("jain", measures.access_case(rate), "droptail")
            for rate in scenario.ACCESS_RATES
        )
        gain = paired_difference(faster, same).mean
        return gain is not None and gain > 0 and separated(faster, same)

    def over_limits(self, column: str, subject: str, count: int = SENDERS[0]) -> Scale:
        """A measure along the queue limits."""
        steps = {
            f"{limit} packets": self.values(column, limit_name(limit, count), subject)
            for limit in LIMITS
        }
        return Scale(steps, self.seen.measures[column].unit)


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in finished runs of all parts."""
    plans = scenario.parts(settings)
    timed = measures.queue_over_time(results["over-time"], plans["over-time"])
    return Evidence(
        measures.observe_all(results, plans), measures.observe_timed(timed), timed, settings
    )
