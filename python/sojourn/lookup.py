"""Scenarios as they are named: a path, a study, a scenario; and with what is set from outside."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sojourn._core import ScenarioError
from sojourn.errors.arguments import as_path
from sojourn.errors.brief import InputError
from sojourn.errors.nearest import refusal
from sojourn.scenario import Overrides, Scenario, as_pairs


def prepared(
    scenario: Scenario | str | Path,
    overrides: Overrides = (),
    replicas: int | None = None,
    seed: int | None = None,
    series_interval: str | None = None,
    precision: str | None = None,
) -> Scenario:
    """Return the scenario with what was set from outside; it is read once."""
    further: dict[str, object] = {}
    if replicas is not None:
        further["replicas"] = replicas
    if seed is not None:
        further["seed"] = seed
    if series_interval is not None:
        further["series"] = series_interval
    if precision is not None:
        further["precision"] = precision
    pairs = [*as_pairs(overrides), *as_pairs(further)]
    try:
        if not isinstance(scenario, Scenario):
            return find(scenario, pairs)
        return scenario.with_overrides(pairs) if pairs else scenario.current()
    except ScenarioError as error:
        raise ScenarioError(_under_arguments(str(error), further)) from None


ARGUMENTS = {"series": "series_interval"}
"""Keys of a scenario that arguments have other names for."""


def _under_arguments(message: str, given: Collection[str]) -> str:
    """An error about a key that an argument has set, under the argument: nobody set the key."""
    key = message.partition(": overrides: ")[2].partition(":")[0]
    if key not in given:
        return message
    return message.replace(f": overrides: {key}:", f": {ARGUMENTS.get(key, key)}:", 1)


def find(name: str | Path, overrides: Overrides = ()) -> Scenario:
    """Load a scenario file, or a scenario of a study by its name: STUDY, or STUDY/PART."""
    place = as_path("scenario", name)
    if "\n" in str(name):
        allowed = "a path or the name of a study; a text is read by sj.Scenario.from_toml"
        raise InputError(f"scenario: found a text of several lines; allowed: {allowed}")
    if place.suffix or place.exists():
        return Scenario.load(place, overrides)
    from sojourn import studies

    study = str(name).partition("/")[0]
    if study not in studies.names():
        what = refusal(study, studies.names())
        raise ScenarioError(f"{name}: there is no such file and no such study: {what}")
    try:
        text = studies.scenario_text(str(name))
    except studies.StudyError as error:
        raise ScenarioError(f"{name}: {error}") from None
    return Scenario.from_toml(text, place=str(name), overrides=overrides)
