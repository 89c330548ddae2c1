"""What the study of every publication does the same way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

import polars as pl

from sojourn.studies.base import Frames
from sojourn.studies.knobs import Knob, Settings, StudyError, settle


class Publication:
    """Settles its knobs; the settings of its quick form are `quick`."""

    name: str
    title: str
    knobs: tuple[Knob, ...]
    quick: Mapping[str, str]
    figure_names: frozenset[str]
    table_names: frozenset[str]

    def settle(self, given: Mapping[str, str], *, quick: bool = False) -> Settings:
        """The settings for the knobs given. Raises StudyError."""
        return settle(self.name, self.knobs, given, self.quick if quick else None)


class Ran(TypedDict):
    """What a report says of the runs that it rests on: fields of `StudyReport`."""

    version: str
    seed: int
    replicas: int
    complete: bool


def ran(results: Mapping[str, Frames]) -> Ran:
    """What was run: version, seed and replicas are those of the main part, the first."""
    main = next(iter(results.values()))
    return Ran(
        version=main.sojourn,
        seed=main.seed,
        replicas=main.replicas,
        complete=all(one.complete for one in results.values()),
    )


def demand_packets(received: pl.Series, settings: Settings) -> None:
    """Raise StudyError where the settings let no packet arrive."""
    if not received.sum():
        raise StudyError(
            f"no packet was received in {settings['duration']}: there is nothing to evaluate"
        )
