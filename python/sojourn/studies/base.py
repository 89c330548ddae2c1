"""What every study is: scenarios with knobs, their runs, and an evaluation into one report.

A study is pure except for its runs: `scenarios` gives the texts of the scenario files for given
settings, `evaluate` turns the frames of the finished runs into a `StudyReport`. Nothing here
knows how a page or a terminal shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import polars as pl

from sojourn.studies.claims import Verdict
from sojourn.studies.knobs import Knob, Settings
from sojourn.studies.tables import Table


class LawBroken(Exception):
    """The frames of a run break a law that every run must keep: nothing they say can be trusted."""


class Frames(Protocol):
    """What a study reads of `sojourn.Results`."""

    @property
    def points(self) -> pl.DataFrame:
        """One row per point: `point` and one column per vary key."""
        ...

    @property
    def links(self) -> pl.DataFrame:
        """One row per point, replica and link."""
        ...

    @property
    def flows(self) -> pl.DataFrame:
        """One row per point, replica and flow."""
        ...

    @property
    def groups(self) -> pl.DataFrame:
        """One row per point, replica and group of flows."""
        ...

    @property
    def totals(self) -> pl.DataFrame:
        """One row per point and replica."""
        ...

    @property
    def drops(self) -> pl.DataFrame:
        """One row per point, replica, link and reason of drops or marks."""
        ...

    @property
    def delays(self) -> pl.DataFrame:
        """One row per point, replica, entity and share of its packets."""
        ...

    def series(self, metric: str) -> pl.DataFrame:
        """The time series of one metric."""
        ...

    @property
    def sojourn(self) -> str:
        """The version that made the frames."""
        ...

    @property
    def seed(self) -> int:
        """The seed of the run."""
        ...

    @property
    def replicas(self) -> int:
        """The number of replicas of each point."""
        ...

    @property
    def complete(self) -> bool:
        """False when the run was interrupted."""
        ...


class RunFrames(Frames, Protocol):
    """The frames of a run: they can be kept when it is interrupted."""

    def write(self, folder: Path) -> object:
        """Write every frame into a folder."""
        ...


@dataclass(frozen=True)
class RunOptions:
    """How to run a scenario; None leaves it to the scenario file or the machine."""

    replicas: int | None = None
    seed: int | None = None
    jobs: int | None = None
    progress: Any = None


Runner = Callable[[str, RunOptions], RunFrames]
"""Runs the text of a scenario file."""


@dataclass(frozen=True)
class OpenPoint:
    """Something that the publication leaves open, and the choice taken.

    `knob` names the knobs that take another choice.
    """

    question: str
    choice: str
    knob: str


@dataclass(frozen=True)
class FigureData:
    """A figure before it is drawn.

    `frame` holds what is drawn, `draw` draws it into a matplotlib figure (given the frame), and
    `alt` says in words what is to be seen.
    """

    id: str
    title: str
    caption: str
    alt: str
    frame: pl.DataFrame
    draw: Callable[[pl.DataFrame], Any]


@dataclass(frozen=True)
class Section:
    """A part of the report: a heading, paragraphs, and tables."""

    id: str
    title: str
    paragraphs: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class StudyReport:
    """All that a study found, ready for the terminal, a page or JSON.

    `answer` says the result in words; `comparison` is the table that the terminal shows, under
    the heading `overview`;
    `sections` follow it on the page; `scenarios` are the files that were run, by part.
    """

    study: str
    title: str
    subject: str
    answer: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    comparison: Table
    sections: tuple[Section, ...]
    figures: tuple[FigureData, ...]
    open_points: tuple[OpenPoint, ...]
    scenarios: Mapping[str, str]
    settings: Mapping[str, str]
    version: str
    seed: int
    replicas: int
    observations: pl.DataFrame = field(default_factory=pl.DataFrame)
    complete: bool = True
    overview: str = "Published and ours"


class Study(Protocol):
    """A publication made repeatable."""

    name: str
    title: str
    knobs: tuple[Knob, ...]

    def settle(self, given: Mapping[str, str], *, quick: bool = False) -> Settings:
        """The settings for the knobs given. Raises StudyError."""
        ...

    def scenarios(self, settings: Settings) -> Mapping[str, str]:
        """The scenario files for these settings, by part, the main one first.

        A study of one part calls it by its own name. Raises StudyError.
        """
        ...

    def evaluate(self, results: Mapping[str, Frames], settings: Settings) -> StudyReport:
        """The report on the finished runs of `scenarios(settings)`, by part."""
        ...


@runtime_checkable
class Calibratable(Study, Protocol):
    """A study that can search the parameters of a reconstruction before its own runs."""

    def settle_calibration(self, given: Mapping[str, str]) -> Settings:
        """The settings of the search for the knobs given. Raises StudyError."""
        ...

    def calibration_scenario(self, settings: Settings) -> str:
        """The scenario file that tries all candidates."""
        ...

    def calibrate(self, results: Frames, settings: Settings) -> Sequence[Any]:
        """The candidates in a finished run of `calibration_scenario`, the best first."""
        ...

    def evaluate(
        self,
        results: Mapping[str, Frames],
        settings: Settings,
        candidates: Sequence[Any] = (),
    ) -> StudyReport:
        """The report on the finished runs, and on the search if there was one."""
        ...
