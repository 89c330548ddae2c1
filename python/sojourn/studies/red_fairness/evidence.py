"""What the verdicts are passed on: our observations, by reading of the publication."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Interval
from sojourn.studies import quantities
from sojourn.studies.base import Frames
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings
from sojourn.studies.red_fairness import measures, published, scenario
from sojourn.studies.red_fairness.measures import DISCIPLINES, MEASURES

SPREAD_WORDS = {
    "ladder": "D for each sender more than the one before",
    "alternate": "D for every second sender",
    "uniform": "delays drawn from 0 to D",
    "ramp": "even steps from 0 to D",
}
"""The readings of D in tables."""


@dataclass(frozen=True)
class Reading:
    """Observations of one reading: columns `case` (1 to 4), `at` (connections or D), `discipline`,
    `replica` and the measures.

    Cases 1 and 2 are missing where only the reading of D is another: their D is zero.
    """

    frame: pl.DataFrame

    @functools.cached_property
    def published(self) -> published.Published:
        """The publication."""
        return published.load()

    def at(self, case: int) -> list[int]:
        """The numbers of connections, or the values of D, that were run."""
        return sorted(self.frame.filter(pl.col("case") == case)["at"].unique())

    def sample(self, column: str, case: int, at: int) -> Sample:
        """One measure of both disciplines at one place, ready to be judged."""
        rows = self.frame.filter((pl.col("case") == case) & (pl.col("at") == at))
        return self._sample(rows, column, f"{'N' if case < 3 else 'D'} = {at}")

    def average(self, column: str, cases: tuple[int, ...], where: str) -> Sample:
        """One measure averaged, in each replica, over all places of some cases."""
        rows = (
            self.frame.filter(pl.col("case").is_in(cases))
            .group_by("discipline", "replica", maintain_order=True)
            .agg(pl.col(column).mean())
        )
        return self._sample(rows, column, where)

    def _sample(self, rows: pl.DataFrame, column: str, where: str) -> Sample:
        values = {
            name: rows.filter(pl.col("discipline") == name).sort("replica")[column].to_list()
            for name in DISCIPLINES
        }
        return Sample(values, MEASURES[column].unit, where)

    def intervals(self, column: str, case: int, discipline: str) -> dict[int, Interval]:
        """Mean and 95 % interval at each place."""
        return {at: self.sample(column, case, at).intervals()[discipline] for at in self.at(case)}


@dataclass(frozen=True)
class Evidence:
    """The readings of all parts of the study."""

    settings: Settings
    chosen: Reading
    readings: Mapping[str, Reading]
    """Other choices, by their names in tables."""
    large: Reading
    """Windows of 1000, all else as chosen: where the buffer decides."""
    buffers: pl.DataFrame
    """Columns `at` (connections), `limit`, `discipline`, `replica` and the measures."""
    room: pl.DataFrame
    """Drop-tail with one packet more room, windows of 1000: `case`, `at`, `replica`, measures."""
    frame: pl.DataFrame
    """Every observation of cases 1 to 4, with `transport`, `setup` and `spread`."""

    @property
    def received(self) -> pl.Series:
        """Packets received."""
        return self.chosen.frame["received_packets"]

    @property
    def observations(self) -> pl.DataFrame:
        """The rows of cases 1 to 4."""
        return self.frame


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in the finished runs of all parts."""
    plans = scenario.parts(settings)
    seen = {name: measures.observations(results[name], plan) for name, plan in plans.items()}
    frame = _frame(seen, settings)
    chosen, setup, spread = (
        next(iter(scenario.transports(settings))),
        settings["red"],
        settings["d_is"],
    )
    return Evidence(
        settings=settings,
        chosen=_reading(frame, chosen, setup, spread),
        readings=_readings(frame, settings),
        large=_reading(frame, scenario.LARGE, setup, spread),
        buffers=seen["buffers"].with_columns(pl.col("setup").cast(pl.Int64).alias("limit")),
        room=seen["room"],
        frame=frame,
    )


def _frame(seen: Mapping[str, pl.DataFrame], settings: Settings) -> pl.DataFrame:
    """The observations of cases 1 to 4: those of 1 and 2 hold for the chosen reading of D."""
    first = seen[scenario.STUDY].with_columns(pl.lit(settings["d_is"]).alias("spread"))
    columns = [one for one in first.columns if one != "point"]
    return pl.concat([one.select(columns) for one in (first, seen["fairness"], seen["delays"])])


def _reading(frame: pl.DataFrame, transport: str, setup: str, spread: str) -> Reading:
    """One reading: drop-tail has no set-up."""
    return Reading(
        frame.filter(
            (pl.col("transport") == transport)
            & pl.col("setup").is_in([setup, ""])
            & (pl.col("spread") == spread)
        )
    )


def _readings(frame: pl.DataFrame, settings: Settings) -> dict[str, Reading]:
    """The choices that were not taken: other transports, the other RED, other readings of D."""
    transports = list(scenario.transports(settings))
    setup, spread = settings["red"], settings["d_is"]
    other_setup = next(one for one in scenario.REDS if one != setup)

    def title(words: str, transport: str) -> str:
        return words + (f" and {transport}" if transport != transports[0] else "")

    readings = {name: _reading(frame, name, setup, spread) for name in transports[1:]}
    for name in transports:
        readings[title(f"RED {other_setup}", name)] = _reading(frame, name, other_setup, spread)
    for one in scenario.other_spreads(settings):
        for name in scenario.two_transports(settings):
            readings[title(SPREAD_WORDS[one], name)] = _reading(frame, name, setup, one)
    return readings


def t1_ms(settings: Settings, case: int) -> str:
    """T1 of a case, as tables and titles have it."""
    text = {1: scenario.THROUGHPUT_T1[0], 3: settings["case3_t1"]}.get(case, scenario.LONG_T1)
    return f"{float(1000 * quantities.seconds(text)):g} ms"
