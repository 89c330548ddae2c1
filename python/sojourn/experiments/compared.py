"""Which points are compared with each other.

Points that differ in their queues and transports only face the same question with different
answers. They share a warm-up and a number of replicas, so that their runs can be paired.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sojourn.scenario import Scenario

ANSWERS = ("queue", "reverse_queue", "transport")
"""Parts of a dotted key that are what is compared, not where."""


KINDS = ("discipline", "congestion_control", "protocol", "source")
"""Keys of a table that say what it is."""


def is_compared(key: str) -> bool:
    """Whether a key of ``[vary]`` names something that is compared."""
    return any(part in ANSWERS for part in key.split("."))


of_scenario = lru_cache(maxsize=2)
"""Keeps what a function of a scenario returned: a report asks it for every point."""


@of_scenario
def compared_points(scenario: Scenario) -> tuple[tuple[int, ...], ...]:
    """Return the groups of points that are compared, in the order of their first points."""
    groups: dict[str, list[int]] = {}
    for point, vary in enumerate(scenario.vary):
        where = {key: value for key, value in vary.items() if not is_compared(key)}
        groups.setdefault(json.dumps(where), []).append(point)
    return tuple(map(tuple, groups.values()))


def labels(vary: Sequence[dict[str, Any]]) -> list[str]:
    """Points by the values that vary, in words that tell them from each other.

    A queue is called as in :func:`answers`.
    """
    return [", ".join(words.values()) for words in _worded(vary)]


def titles(where: Sequence[dict[str, Any]]) -> list[str]:
    """The same with what each value is of; empty where nothing varies."""
    return [
        ", ".join(f"{short_key(key)} {word}" for key, word in words.items())
        for words in _worded(where)
    ]


def _worded(vary: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    """The values of each point in words, by key."""
    worded: list[dict[str, str]] = [{} for _ in vary]
    for key in dict.fromkeys(key for point in vary for key in point):
        having = [number for number, point in enumerate(vary) if key in point]
        values = [vary[number][key] for number in having]
        for number, value, word in zip(having, values, in_words(values), strict=True):
            worded[number][key] = word or json.dumps(value)
    return worded


@dataclass(frozen=True)
class Case:
    """Points that are compared: what they share, also in words, and their numbers."""

    where: dict[str, Any]
    points: tuple[int, ...]
    title: str


@of_scenario
def cases(scenario: Scenario) -> tuple[Case, ...]:
    """The groups of points that are compared, with what each group shares."""
    vary, groups = scenario.vary, compared_points(scenario)
    where = [
        {key: value for key, value in vary[points[0]].items() if not is_compared(key)}
        for points in groups
    ]
    return tuple(map(Case, where, groups, titles(where)))


def short_key(key: str) -> str:
    """A dotted key without what is the same in all: ``flow.web.traffic.rate`` is ``web rate``."""
    kind, _, rest = key.partition(".")
    parts = rest.split(".") if rest else [kind]
    return " ".join(dict.fromkeys([parts[0], parts[-1]]))


def short_names(keys: Iterable[str]) -> dict[str, str]:
    """Dotted keys by the shortest names that tell them apart."""
    known = list(dict.fromkeys(keys))
    for name in (lambda key: key.rpartition(".")[2], short_key):
        short = {key: name(key) for key in known}
        if len(set(short.values())) == len(known):
            return short
    return {key: key for key in known}


@of_scenario
def answers(scenario: Scenario) -> tuple[str, ...]:
    """What is compared at each point, in words that tell the points of a case from each other.

    A queue is called by its discipline, and by its settings where another one of the same
    discipline has others: ``codel``, ``codel, target=20 ms``.
    """
    vary = [
        {key: _as_table(key, value) for key, value in point.items() if is_compared(key)}
        for point in scenario.vary
    ]
    keys = list(dict.fromkeys(key for point in vary for key in point))
    words = {key: _telling([point.get(key) for point in vary], key) for key in keys}
    # A queue first: the look of a discipline goes by the word that its label begins with.
    keys.sort(key=lambda key: not any(isinstance(point.get(key), dict) for point in vary))
    named = [", ".join(words[key][number] for key in keys) for number in range(len(vary))]
    if any(isinstance(value, dict) for point in vary for value in point.values()):
        return tuple(named)
    return tuple(
        ", ".join(part for part in (_only_discipline(scenario, number), name) if part)
        for number, name in enumerate(named)
    )


def _as_table(key: str, value: Any) -> Any:
    """A discipline that varies by itself, as the queue that it stands for."""
    return {"discipline": value} if key.endswith(".queue.discipline") else value


def _telling(values: list[Any], key: str) -> list[str]:
    """Each value by what tells it from the others."""
    if all(isinstance(value, dict) for value in values):
        return in_words(values)
    return [f"{key.rpartition('.')[2]}={value}" for value in values]


def in_words(values: Sequence[Any]) -> list[str]:
    """Each value as it is; a table by its kind, and by what tells it from others of its kind."""
    # Of thousands of points most have the same few values.
    texts = [json.dumps(value) for value in values]
    different = dict(zip(texts, values, strict=True))
    tables = [value for value in different.values() if isinstance(value, dict)]
    words = {
        text: _table(value, [one for one in tables if _kind(one) == _kind(value)])
        if isinstance(value, dict)
        else in_full(value)
        for text, value in different.items()
    }
    return [words[text] for text in texts]


def in_full(value: Any) -> str:
    """A value with all that it holds: ``at = 2 s, rate = 1 Mbit/s`` for a table."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {in_full(item)}" for key, item in value.items())
    if isinstance(value, list):
        between = "; " if any(isinstance(item, dict) for item in value) else ", "
        return between.join(map(in_full, value)) or "none"
    return str(value)


def from_to(seconds: Iterable[float]) -> str:
    """Times in words, from the shortest to the longest: ``2 s``, ``1 to 2 s``."""
    known = set(seconds)
    least, most = min(known), max(known)
    return f"{most:g} s" if least == most else f"{least:g} to {most:g} s"


def _table(table: dict[str, Any], alike: list[dict[str, Any]]) -> str:
    settings = [
        f"{key}={in_full(value)}"
        for key, value in table.items()
        if key not in KINDS and any(one.get(key) != value for one in alike)
    ]
    return ", ".join(part for part in (_kind(table), *settings) if part)


def _kind(table: dict[str, Any]) -> str:
    return next((str(table[kind]) for kind in KINDS if kind in table), "")


def _only_discipline(scenario: Scenario, point: int) -> str:
    """The discipline of a point that has only one that is named."""
    identity = scenario.identity(point)
    links = [*identity.get("link", []), identity.get("dumbbell", {}).get("bottleneck", {})]
    named = {link["queue"].get("discipline", "droptail") for link in links if "queue" in link}
    return str(named.pop()) if len(named) == 1 else ""
