"""What the verdicts are passed on: our averages, over each reading, with their ranks."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import polars as pl

from sojourn.stats import Interval, Rank, rank, student_interval
from sojourn.stats.paired import paired_difference
from sojourn.studies.base import Frames
from sojourn.studies.eqm import measures, network, published, scenario
from sojourn.studies.eqm.labels import DISCIPLINES, PUBLISHED
from sojourn.studies.eqm.measures import MEASURES, Reading
from sojourn.studies.eqm.network import Network
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings


@dataclass(frozen=True)
class Evidence:
    """The observations of a run, and questions about them.

    `ours` is the network as run, `theirs` as published: the proofs speak of the latter.
    """

    frame: pl.DataFrame
    settings: Settings
    ours: Network
    theirs: Network

    @classmethod
    def of(cls, frame: pl.DataFrame, settings: Settings) -> Self:
        """The evidence in the observations of a run with these settings."""
        ours = network.of(scenario.document(settings), settings)
        return cls(frame, settings, ours, network.published())

    @property
    def received(self) -> pl.Series:
        """Packets received."""
        return self.frame["received"]

    @property
    def observations(self) -> pl.DataFrame:
        """All rows."""
        return self.frame

    @functools.cached_property
    def published(self) -> published.Published:
        """The publication."""
        return published.load()

    @functools.cached_property
    def readings(self) -> dict[str, Reading]:
        """The readings of "average"."""
        return measures.readings(self.ours.capacity_mbps)

    @functools.cached_property
    def _averages(self) -> dict[str, pl.DataFrame]:
        return {
            name: measures.averages(self.frame, reading) for name, reading in self.readings.items()
        }

    def values(
        self, column: str, reading: str, disciplines: tuple[str, ...] = PUBLISHED
    ) -> dict[str, list[float | None]]:
        """Averages over the loads of a reading: one value per replica, by discipline."""
        return measures.by_discipline(self._averages[reading], column, disciplines)

    def sample(self, column: str, reading: str, disciplines: tuple[str, ...] = PUBLISHED) -> Sample:
        """The same, ready to be judged."""
        return Sample(
            self.values(column, reading, disciplines),
            MEASURES[column].unit,
            self.readings[reading].title,
        )

    def intervals(
        self, column: str, reading: str, disciplines: tuple[str, ...] = DISCIPLINES
    ) -> dict[str, Interval]:
        """Mean and 95 % interval by discipline; undefined ones have no mean."""
        values = self.values(column, reading, disciplines)
        return {name: student_interval(values.get(name, [])) for name in disciplines}

    def ranks(self, column: str, reading: str, better: str | None = None) -> dict[str, Rank]:
        """Ranks among the published disciplines; `better` other than the measure's own end."""
        end = MEASURES[column].better if better is None else better
        return rank(self.values(column, reading), "lower" if end == "lower" else "higher")

    def difference(self, column: str, reading: str, first: str, second: str) -> Interval:
        """Paired interval of first - second, not adjusted."""
        values = self.values(column, reading, (first, second))
        return paired_difference(values.get(first, []), values.get(second, []))

    def ratio(self, column: str, reading: str, first: str, second: str) -> Interval:
        """Interval of first / second, replica by replica; undefined where second is zero."""
        values = self.values(column, reading, (first, second))
        pairs = zip(values.get(first, []), values.get(second, []), strict=True)
        return student_interval(
            None if x is None or y is None or y == 0 else x / y for x, y in pairs
        )

    def at_load(self, column: str, load: float) -> dict[str, list[float | None]]:
        """Values at one load: one per replica, by published discipline."""
        rows = self.frame.filter((pl.col("load") - load).abs() < 1e-9)
        return measures.by_discipline(
            rows.select("discipline", "replica", column), column, PUBLISHED
        )


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in a finished run with these settings."""
    return Evidence.of(measures.observations(results[scenario.STUDY], settings), settings)
