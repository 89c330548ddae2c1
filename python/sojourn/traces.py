"""Traces: which files the runs of a scenario write, in which format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sojourn.errors.arguments import kind_error
from sojourn.errors.brief import InputError
from sojourn.errors.nearest import refusal
from sojourn.scenario import Scenario
from sojourn.workers.processes import TraceFiles
from sojourn.workers.tasks import Task

FORMATS = ("ns2", "pcapng", "events")
"""The formats of traces."""


@dataclass(frozen=True)
class Traces:
    """Which traces of all runs go where: ``trace_...`` of :func:`sojourn.run`."""

    folder: Path
    format: str
    links: Sequence[str]
    payload: bool

    def check_arguments(self) -> None:
        """Look at what :func:`sojourn.run` was given, under its names."""
        if self.format not in FORMATS:
            raise InputError(f"trace_format: {refusal(str(self.format), FORMATS)}")
        links = self.links
        if isinstance(links, str) or not isinstance(links, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("trace_links", links, "a list of names of links")
        if not isinstance(self.payload, bool):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise kind_error("trace_payload", self.payload, "true or false")

    def check(self, scenario: Scenario) -> None:
        """Raise :class:`sojourn.ScenarioError` for a link that is not there."""
        scenario.core.check_captured(list(self.links))

    def of(self, scenario: Scenario, task: Task) -> TraceFiles:
        """The trace of one run."""
        stem = self.folder / _trace_name(scenario, task)
        return TraceFiles(self.format, stem, list(self.links), self.payload)


def _trace_name(scenario: Scenario, task: Task) -> str:
    """Return how the names of a run's trace files begin."""
    parts = ["trace"]
    if scenario.core.points > 1:
        parts.append(f"point{task.point}")
    if scenario.replicas > 1 or scenario.core.precision is not None:
        parts.append(f"replica{task.replica}")
    return "-".join(parts)
