"""The observations of all scenarios, and of the phases of those that have some."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.knobs import Settings
from sojourn.studies.observed import KEYS, Observed, table_of
from sojourn.studies.rfc7928 import phases, readings, scenario
from sojourn.studies.rfc7928.laboratory import Plan
from sojourn.studies.rfc7928.queues import BASE

SIGNALS = ("loss", "marks")
"""Columns of what tells a sender to slow down."""


@dataclass(frozen=True)
class Evidence:
    """What was seen, by scenario. `timed` holds the bottleneck over time."""

    settings: Settings
    plans: Mapping[str, Plan]
    seen: Mapping[str, Observed]
    by_phase: Mapping[str, Observed]
    timed: Mapping[str, pl.DataFrame]

    @property
    def subjects(self) -> tuple[str, ...]:
        """All disciplines, drop-tail first."""
        return self.seen["newreno"].subjects(self.seen["newreno"].cases[0])

    @property
    def tested(self) -> tuple[str, ...]:
        """All but drop-tail."""
        return tuple(one for one in self.subjects if one != BASE)

    def compared(self) -> Iterator[tuple[Plan, Observed, str]]:
        """Every case in which all disciplines were run."""
        for name, seen in self.seen.items():
            for case in seen.cases:
                if seen.subjects(case) == self.subjects:
                    yield self.plans[name], seen, case

    def silent(self, name: str, case: str, subject: str) -> bool:
        """Whether a discipline dropped and marked nothing in a replica or more of a case.

        What flows get there is what their start left them: nothing has told them to slow down.
        """
        seen = self.seen[name]
        columns = [one for one in SIGNALS if one in seen.measures]
        rows = zip(*(seen.values(one, case, subject) for one in columns), strict=True)
        return not all(any(row) for row in rows)

    @property
    def received(self) -> pl.Series:
        """The goodputs of the first scenario."""
        return self.seen["newreno"].frame["goodput"]

    @property
    def observations(self) -> pl.DataFrame:
        """All observations in one frame, with the scenario and its section; phases come last."""
        tables = [(name, name, seen) for name, seen in self.seen.items()]
        tables += [(name, by_phase(name), seen) for name, seen in self.by_phase.items()]
        frames = [
            seen.frame.select(
                pl.lit(self.plans[name].section).alias("section"),
                pl.lit(title).alias("scenario"),
                pl.all(),
            )
            for name, title, seen in tables
        ]
        return pl.concat(frames, how="diagonal")


def by_phase(name: str) -> str:
    """What the table of a scenario's phases is called."""
    return f"{name}-by-phase"


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """Read all parts."""
    plans = scenario.plans(settings)
    timed = {name: phases.delays(results[name], plans[name].part) for name in phases.NAMES}
    return Evidence(
        settings,
        plans,
        {name: observe(results[name], plan) for name, plan in plans.items()},
        {name: phases.observe(frame, name, settings) for name, frame in timed.items()},
        timed,
    )


def observe(frames: Frames, plan: Plan) -> Observed:
    """The observations of one scenario; without a case axis its title is the case."""
    points = plan.part.points()
    if "case" in points.columns:
        points = points.with_columns(pl.format(plan.case, pl.col("case")).alias("case"))
    else:
        points = points.with_columns(pl.lit(plan.title).alias("case"))
    measures = table_of([one.measure for one in plan.readings])
    frame = (
        points.join(readings.read(frames, plan.readings), on="point", maintain_order="left_right")
        .sort("point", "replica")
        .select(*KEYS, *measures)
    )
    return Observed(frame, measures)
