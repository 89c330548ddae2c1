"""Words for people: values that vary, keys, times, counts and lists."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

KINDS = ("discipline", "congestion_control", "protocol", "source")
"""Keys of a table that say what it is."""


def labels(vary: Sequence[dict[str, Any]]) -> list[str]:
    """Points by the values that vary, in words that tell them from each other.

    A queue is called as in :func:`sojourn.experiments.cases.answers`.
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
    # As in a scenario file, where it can be pasted.
    return str(value).lower() if isinstance(value, bool) else str(value)


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


def counted(count: int, noun: str) -> str:
    """So many of something: 1 run, 2 runs, 1,000 runs."""
    return f"{count} {noun}" if count == 1 else f"{count:,} {noun}s"


def enumerated(parts: Iterable[object]) -> str:
    """Several in a sentence: ``RED, REM and SFQ``."""
    texts = [str(part) for part in parts]
    if len(texts) < 2:
        return "".join(texts)
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
