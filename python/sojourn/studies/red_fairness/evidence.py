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


def gather(runs: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in the finished runs of all parts."""
    transports = list(scenario.transports(settings))
    two = list(scenario.two_transports(settings))
    queues = list(scenario.queues(settings))
    spread = settings["d_is"]
    others = [one for one in scenario.SPREADS if one != spread]

    def differences(spreads: list[str]) -> list[tuple[str, int]]:
        return [(one, d) for one in spreads for d in scenario.DIFFERENCES]

    throughput = measures.observations(
        runs[scenario.STUDY],
        {
            scenario.T1_KEY: (1, 2),
            scenario.COUNT_KEY: scenario.connections(settings),
            scenario.TRANSPORT_KEY: transports,
            scenario.QUEUE_KEY: queues,
        },
    ).with_columns(pl.lit(spread).alias("spread"))
    fairness = measures.observations(
        runs["fairness"],
        {
            scenario.T1_KEY: (3, 4),
            scenario.ACCESS_KEY: differences([spread]),
            scenario.TRANSPORT_KEY: transports,
            scenario.QUEUE_KEY: queues,
        },
    )
    delays = measures.observations(
        runs["delays"],
        {
            scenario.T1_KEY: (3, 4),
            scenario.ACCESS_KEY: differences(others),
            scenario.TRANSPORT_KEY: two,
            scenario.QUEUE_KEY: [queues[0], queues[-1]],
        },
    )
    columns = [one for one in throughput.columns if one != "point"]
    frame = pl.concat([one.select(columns) for one in (throughput, fairness, delays)])

    def reading(transport: str, setup: str, its_spread: str) -> Reading:
        chosen = (
            (pl.col("transport") == transport)
            & pl.col("setup").is_in([setup, ""])
            & (pl.col("spread") == its_spread)
        )
        return Reading(frame.filter(chosen))

    first, setup = transports[0], settings["red"]
    other_setup = queues[1][1]
    readings = {name: reading(name, setup, spread) for name in transports[1:]}
    for name in transports:
        title = f"RED {other_setup}" + (f" and {name}" if name != first else "")
        readings[title] = reading(name, other_setup, spread)
    for one in others:
        for name in two:
            title = SPREAD_WORDS[one] + (f" and {name}" if name != first else "")
            readings[title] = reading(name, setup, one)
    large = f"windows of {scenario.LARGE_WINDOW}"
    return Evidence(
        settings=settings,
        chosen=reading(first, setup, spread),
        readings=readings,
        large=reading(large, setup, spread),
        buffers=of_buffers(runs["buffers"]),
        room=measures.observations(
            runs["room"],
            {
                scenario.T1_KEY: (1, 2),
                scenario.COUNT_KEY: scenario.connections(settings),
                scenario.QUEUE_KEY: [("droptail", "one more")],
            },
        ),
        frame=frame,
    )


def of_buffers(run: Frames) -> pl.DataFrame:
    """The observations of the part `buffers`."""
    names = [(one, str(limit)) for limit in scenario.LIMITS for one in DISCIPLINES]
    frame = measures.observations(
        run, {scenario.COUNT_KEY: scenario.BUFFER_CONNECTIONS, scenario.QUEUE_KEY: names}
    )
    return frame.with_columns(pl.col("setup").cast(pl.Int64).alias("limit"))


def t1_ms(settings: Settings, case: int) -> str:
    """T1 of a case, as tables and titles have it."""
    text = {1: scenario.THROUGHPUT_T1[0], 3: settings["case3_t1"]}.get(case, scenario.LONG_T1)
    return f"{float(1000 * quantities.seconds(text)):g} ms"
