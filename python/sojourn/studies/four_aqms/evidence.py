"""What the verdicts are passed on: our observations, under one reading of the publication."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from sojourn.stats import Interval
from sojourn.studies.base import Frames
from sojourn.studies.four_aqms import measures, published, scenario
from sojourn.studies.four_aqms.measures import DISCIPLINES, MEASURES, PUBLISHED
from sojourn.studies.judging import Sample
from sojourn.studies.knobs import Settings


@dataclass(frozen=True)
class Evidence:
    """Observations of one reading: each discipline once, all replicas."""

    frame: pl.DataFrame

    @functools.cached_property
    def published(self) -> published.Published:
        """The publication."""
        return published.load()

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
class Everything:
    """The evidence of all parts of the study."""

    settings: Settings
    chosen: Evidence
    """The publication's scenario, with the settings' choices."""
    loads: Mapping[str, Evidence]
    """By the rate of a CBR sender, rising, the chosen one among them."""
    readings: Mapping[str, Evidence]
    """Other choices, by their names in tables."""


def gather(runs: Mapping[str, Frames], settings: Settings) -> Everything:
    """The evidence in the finished runs of all parts."""
    frames = {part: measures.observations(run) for part, run in runs.items()}
    chosen = frames[scenario.STUDY]
    loads = {settings["cbr_rate"]: chosen} | by_value(
        frames["load"], runs["load"].points, scenario.RATE_KEY
    )
    loads = {text: loads[text] for text in sorted(loads, key=scenario.bits)}
    tcps = by_value(frames["tcp"], runs["tcp"].points, scenario.TRANSPORT_KEY)
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
    return Everything(
        settings,
        Evidence(chosen),
        {text: Evidence(frame) for text, frame in loads.items()},
        {name: Evidence(frame) for name, frame in readings.items()},
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
