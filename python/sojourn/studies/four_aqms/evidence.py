"""What the verdicts are passed on: our observations, by reading of the publication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Interval
from sojourn.studies.base import Frames
from sojourn.studies.four_aqms import measures, scenario
from sojourn.studies.four_aqms.measures import DISCIPLINES, MEASURES, PUBLISHED
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings
from sojourn.studies.publication import Published, read


@dataclass(frozen=True)
class Reading:
    """Observations of one reading: each discipline once, all replicas."""

    frame: pl.DataFrame

    @property
    def published(self) -> Published:
        """The publication."""
        return read(scenario.PACKAGE)

    def sample(
        self, column: str, disciplines: tuple[str, ...] = PUBLISHED, where: str = ""
    ) -> Sample:
        """One measure of some disciplines, ready to be judged."""
        values: dict[str, list[float | None]] = {}
        for name in disciplines:
            rows = self.frame.filter(pl.col("discipline") == name).sort("replica")
            values[name] = rows[column].to_list()
        return Sample(values, MEASURES[column].unit, where)

    def intervals(
        self, column: str, disciplines: tuple[str, ...] = DISCIPLINES
    ) -> dict[str, Interval]:
        """Mean and 95 % interval by discipline."""
        return self.sample(column, disciplines).intervals()


@dataclass(frozen=True)
class Evidence:
    """The readings of all parts of the study."""

    settings: Settings
    chosen: Reading
    """The publication's scenario, with the settings' choices."""
    loads: Mapping[str, Reading]
    """By the rate of a CBR sender, rising, the chosen one among them."""
    readings: Mapping[str, Reading]
    """Other choices, by their names in tables."""
    run: Frames
    """The run of the publication's scenario, with its time series."""

    @property
    def received(self) -> pl.Series:
        """Packets received."""
        return self.observations["received_packets"]

    @property
    def observations(self) -> pl.DataFrame:
        """The rows of the publication's scenario."""
        return self.chosen.frame


def gather(results: Mapping[str, Frames], settings: Settings) -> Evidence:
    """The evidence in the finished runs of all parts."""
    frames = {part: measures.observations(run) for part, run in results.items()}
    chosen = frames[scenario.STUDY]
    loads = {settings["cbr_rate"]: chosen} | by_value(
        frames["load"], results["load"].points, scenario.RATE_KEY
    )
    loads = {text: loads[text] for text in sorted(loads, key=scenario.bits)}
    tcps = by_value(frames["tcp"], results["tcp"].points, scenario.TRANSPORT_KEY)
    readings: dict[str, pl.DataFrame] = {}
    for text, frame in loads.items():
        if frame is not chosen and text in scenario.READ_AGAIN:
            readings[f"CBR at {text} each"] = frame
    others = [name for name in scenario.TCPS if name != settings["tcp"]]
    for name, frame in zip(others, tcps.values(), strict=True):
        readings[f"TCP {TCP_NAMES[name]}"] = frame
    for point, name in enumerate(scenario.variants(settings)):
        # One discipline has other parameters; the rest is as chosen.
        changed = frames["parameters"].filter(pl.col("point") == point)
        rest = chosen.filter(~pl.col("discipline").is_in(changed["discipline"].unique().to_list()))
        readings[name] = pl.concat([rest, changed], how="vertical_relaxed")
    return Evidence(
        settings,
        Reading(chosen),
        {text: Reading(frame) for text, frame in loads.items()},
        {name: Reading(frame) for name, frame in readings.items()},
        results[scenario.STUDY],
    )


TCP_NAMES = {"tahoe": "Tahoe", "reno": "Reno", "newreno": "NewReno", "sack": "SACK"}
"""The TCPs in print."""


def by_value(frame: pl.DataFrame, points: pl.DataFrame, key: str) -> dict[str, pl.DataFrame]:
    """The observations by the value of a varied key, in the order of the scenario."""
    found: dict[str, pl.DataFrame] = {}
    for value in points[key].unique(maintain_order=True):
        chosen = points.filter(pl.col(key) == value)["point"]
        found[str(value)] = frame.filter(pl.col("point").is_in(chosen.to_list()))
    return found
