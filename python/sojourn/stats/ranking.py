"""Ranks that claim no more than the intervals carry.

A place is given away only where the adjusted paired intervals separate: the rank of an entry is
one more than the number of entries that are better beyond doubt. Entries that do not separate
tie, and share the better grade.

Ties need not be transitive (a may tie with b and b with c while a beats c); this rule then still
gives every entry the number of those that surely beat it.
"""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from sojourn.errors.brief import InputError
from sojourn.errors.nearest import refusal
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.paired import Comparison, compare_all

Better = Literal["lower", "higher"]
"""Which end of a scale is the good one."""


@dataclass(frozen=True)
class Rank:
    """The place of one entry.

    `rank` counts from 1; `grade` is the letter of the rank (A the best); `ties` names the
    entries it does not separate from; `interval` is its own, not adjusted.
    """

    name: str
    rank: int
    grade: str
    ties: tuple[str, ...]
    beaten_by: tuple[str, ...]
    beats: tuple[str, ...]
    interval: Interval


def grade(rank: int) -> str:
    """The letter of a rank: 1 is A. Beyond Z the number itself."""
    if 1 <= rank <= len(string.ascii_uppercase):
        return string.ascii_uppercase[rank - 1]
    return str(rank)


def beats(comparison: Comparison, better: Better) -> tuple[str, str] | None:
    """(better, worse) of a comparison, None unless the two separate."""
    lower = comparison.lower
    if lower is None:
        return None
    higher = comparison.second if lower == comparison.first else comparison.first
    return (lower, higher) if better == "lower" else (higher, lower)


def rank(
    values: Mapping[str, Sequence[float | None]],
    better: Better,
    level: float = 0.95,
    resolution: float = 0.0,
) -> dict[str, Rank]:
    """Ranks of all `values` (name -> one value per replica, paired by position).

    `resolution` is the share of a value to which they are measured.
    Raises ValueError for a bad level, another word than `Better` has, or unequal replicas.
    """
    if better not in get_args(Better):
        raise InputError(f"better: {refusal(str(better), get_args(Better))}")
    wins: dict[str, set[str]] = {name: set() for name in values}
    losses: dict[str, set[str]] = {name: set() for name in values}
    for comparison in compare_all(values, level, resolution):
        decided = beats(comparison, better)
        if decided is not None:
            wins[decided[0]].add(decided[1])
            losses[decided[1]].add(decided[0])

    def in_order(names: set[str]) -> tuple[str, ...]:
        return tuple(name for name in values if name in names)

    return {
        name: Rank(
            name=name,
            rank=1 + len(losses[name]),
            grade=grade(1 + len(losses[name])),
            ties=in_order(set(values) - wins[name] - losses[name] - {name}),
            beaten_by=in_order(losses[name]),
            beats=in_order(wins[name]),
            interval=student_interval(values[name], level),
        )
        for name in values
    }
