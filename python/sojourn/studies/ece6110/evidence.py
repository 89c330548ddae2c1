"""What the verdicts are passed on: the observations of all parts, and questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Interval, student_interval
from sojourn.studies.base import Frames
from sojourn.studies.claims import Claim
from sojourn.studies.ece6110 import measures, scenario
from sojourn.studies.ece6110.queues import RED, SIZES, Queue, droptail_name
from sojourn.studies.ece6110.scenario import BIG, LOADS, PACKAGE, STUDY, load_name
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings
from sojourn.studies.observed import Observed, Values
from sojourn.studies.publication import read
from sojourn.studies.trends import Scale

BASE = droptail_name(BIG)
"""The drop-tail queue that RED is held against."""

LOAD_NAMES = tuple(load_name(load) for load in LOADS)


@dataclass(frozen=True)
class Evidence:
    """The observations of each part of the study."""

    parts: Mapping[str, Observed]
    settings: Settings

    @property
    def main(self) -> Observed:
        """The report's own runs."""
        return self.parts[STUDY]

    @property
    def received(self) -> pl.Series:
        """All goodputs together."""
        return self.main.frame["total"]

    @property
    def observations(self) -> pl.DataFrame:
        """The rows of the report's own runs."""
        return self.main.frame

    def claim(self, name: str) -> Claim:
        """A claim of the report."""
        return read(PACKAGE).claims[name]

    def interval(self, column: str, load: str, subject: str) -> Interval:
        """Mean and 95 % interval in the report's own runs."""
        return self.main.interval(column, load, subject)

    def values(self, column: str, load: str, subject: str) -> Values:
        """One value per replica in the report's own runs."""
        return self.main.values(column, load, subject)

    def sizes(self, column: str, load: str) -> Scale:
        """A measure along the sizes of the drop-tail queue."""
        steps = {f"{size} B": self.values(column, load, droptail_name(size)) for size in SIZES}
        return Scale(steps, self.main.measures[column].unit)

    def loads(self, column: str, subject: str) -> Scale:
        """A measure along the loads."""
        steps = {load: self.values(column, load, subject) for load in LOAD_NAMES}
        return Scale(steps, self.main.measures[column].unit)

    def over(self, column: str, load: str, queues: Mapping[str, Queue]) -> Scale:
        """A measure over queues, by a name for each."""
        steps = {name: self.values(column, load, one.name) for name, one in queues.items()}
        return Scale(steps, self.main.measures[column].unit)

    def red_and_droptail(self, column: str, load: str) -> Sample:
        """A measure of RED as printed and of the drop-tail queue beside it."""
        return Sample(
            {
                "red": self.values(column, load, RED.name),
                "droptail": self.values(column, load, BASE),
            },
            self.main.measures[column].unit,
            f"{load} load, drop-tail with {BIG} B",
        )

    def sources(self, load: str, subject: str) -> Sample:
        """The goodputs of UDP and both TCP connections."""
        values = {title: self.values(flow, load, subject) for flow, title in measures.FLOWS.items()}
        return Sample(values, "kbit/s", f"{load} load")

    def scatter(self, part: str, column: str, case: str, subject: str) -> Interval:
        """Standard deviation of one run as a share of the mean, with its 95 % interval."""
        return scatter_of(self.parts[part].values(column, case, subject))


def scatter_of(values: Values) -> Interval:
    """The standard deviation of `values` as a share of their mean.

    The interval is that of chi-square for the deviation of normal values; the mean is taken as
    known, since its own error is smaller by the root of the number of values.
    """
    from scipy import special

    known = [x for x in values if x is not None]
    mean = student_interval(known).mean
    freedom = len(known) - 1
    if freedom < 1 or not mean:
        return Interval(None, None, None, 0)
    squares = sum((x - mean) ** 2 for x in known)
    low, high = (
        (squares / float(special.chdtri(freedom, tail))) ** 0.5 / mean for tail in (0.025, 0.975)
    )
    return Interval((squares / freedom) ** 0.5 / mean, low, high, len(known))


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in finished runs of all parts."""
    plans = scenario.parts(settings)
    parts = {name: measures.observe(frames, plans[name]) for name, frames in results.items()}
    return Evidence(parts, settings)
