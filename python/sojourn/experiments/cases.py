"""Which points are compared with each other.

Points that differ only in their queues and transports are different answers to the same question.
They share a warm-up and a number of replicas, so that their runs can be paired.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sojourn.scenario import Scenario
from sojourn.wording import in_full, in_words, titles

ANSWERS = ("queue", "reverse_queue", "transport")
"""Parts of a dotted key that say what is compared, as opposed to where."""


def is_compared(key: str) -> bool:
    """Whether a key of ``[vary]`` names something that is compared."""
    return any(part in ANSWERS for part in key.split("."))


cached_per_scenario = lru_cache(maxsize=2)
"""Keeps the results of a function for the last two scenarios: a report asks for every point."""


@cached_per_scenario
def compared_points(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """Return the groups of points that are compared, in the order of their first points."""
    groups: dict[str, list[int]] = {}
    for point, vary in enumerate(scenario.vary):
        where = {key: value for key, value in vary.items() if not is_compared(key)}
        groups.setdefault(json.dumps(where), []).append(point)
    return tuple(map(tuple, groups.values()))


@dataclass(frozen=True)
class Case:
    """Points that are compared: what they have in common, also in words, and their numbers."""

    where: dict[str, Any]
    points: tuple[int, ...]
    title: str


@cached_per_scenario
def cases(scenario: Scenario) -> tuple[Case, ...]:
    """The groups of points that are compared, with what each group shares."""
    vary, groups = scenario.vary, compared_points(scenario)
    where = [
        {key: value for key, value in vary[points[0]].items() if not is_compared(key)}
        for points in groups
    ]
    return tuple(map(Case, where, groups, titles(where)))


@cached_per_scenario
def answers(scenario: Scenario, apart: tuple[str, ...] = ()) -> tuple[str, ...]:
    """What is compared at each point, in words that distinguish the points of a case from each
    other.

    A queue is called by its discipline, and also by its settings if another queue of the same
    discipline has different ones: ``codel``, ``codel, target=20 ms``. Keys ``apart`` are left out:
    those that have an axis of their own.
    """
    vary = [
        {
            key: _as_table(key, value)
            for key, value in point.items()
            if is_compared(key) and key not in apart
        }
        for point in scenario.vary
    ]
    keys = list(dict.fromkeys(key for point in vary for key in point))
    words = {key: _telling([point.get(key) for point in vary], key) for key in keys}
    # A queue first: the look of a discipline goes by the word that its label begins with.
    keys.sort(key=lambda key: not any(isinstance(point.get(key), dict) for point in vary))
    named = [", ".join(words[key][number] for key in keys) for number in range(len(vary))]
    if any(isinstance(value, dict) for point in vary for value in point.values()) or any(
        _names_discipline(key) for key in apart
    ):
        return tuple(named)
    return tuple(
        ", ".join(part for part in (_only_discipline(scenario, number), name) if part)
        for number, name in enumerate(named)
    )


def _as_table(key: str, value: Any) -> Any:
    """A discipline that varies by itself, as the queue for which it stands."""
    return {"discipline": value} if key.endswith(".queue.discipline") else value


def _names_discipline(key: str) -> bool:
    """Whether a key says which discipline a queue has."""
    return key.removesuffix(".discipline").endswith((".queue", ".reverse_queue"))


def _telling(values: list[Any], key: str) -> list[str]:
    """Each value by what distinguishes it from the others."""
    if all(isinstance(value, dict) for value in values):
        return in_words(values)
    return [f"{key.rpartition('.')[2]}={in_full(value)}" for value in values]


def _only_discipline(scenario: Scenario, point: int) -> str:
    """The discipline of a point at which only one is named."""
    identity = scenario.identity(point)
    links = [*identity.get("link", []), identity.get("dumbbell", {}).get("bottleneck", {})]
    named = {link["queue"].get("discipline", "droptail") for link in links if "queue" in link}
    return str(named.pop()) if len(named) == 1 else ""
