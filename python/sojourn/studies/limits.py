"""Verdicts on values that are held against a limit, by their intervals over replicas.

A value keeps a limit where its interval does, and breaks it where the interval lies beyond. Where
the interval holds the limit, more replicas would tell: there is no verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sojourn.stats import Interval, student_interval
from sojourn.stats.paired import FEWEST, paired_difference
from sojourn.studies.claims import Outcome
from sojourn.studies.judging import TOO_FEW, Judgement

LEVEL = 0.95
"""The level of an interval that is alone."""


def between(value: Interval, least: float, most: float) -> Outcome:
    """Whether a value is one from `least` to `most`.

    It is where its interval lies inside, it is not where it lies outside, and where the interval
    holds one of the two, it is not known.
    """
    if value.low is None or value.high is None or value.n < FEWEST:
        return Outcome.NOT_MEASURED
    if least <= value.low and value.high <= most:
        return Outcome.AGREES
    outside = value.low > most or value.high < least
    return Outcome.DISAGREES if outside else Outcome.NOT_MEASURED


def within(difference: Interval, limit: float) -> Outcome:
    """Whether a difference is one of no more than `limit`, up or down."""
    return between(difference, -limit, limit)


def at_most(value: Interval, limit: float) -> Outcome:
    """Whether a value is `limit` at most; where its interval holds the limit, it is not known."""
    return between(value, -math.inf, limit)


def at_least(value: Interval, limit: float) -> Outcome:
    """Whether a value is `limit` at least; where its interval holds the limit, it is not known."""
    return between(value, limit, math.inf)


def grows_by(change: Interval, level: float) -> Outcome:
    """Whether a change is a growth.

    It is where its interval lies above zero. It is none where it is shown to be `level` at most:
    a fall, or as good as no change. Else it is not known.
    """
    if change.low is not None and change.low > 0:
        return at_least(change, 0.0)
    return Outcome.DISAGREES if at_most(change, level) is Outcome.AGREES else Outcome.NOT_MEASURED


def not_so(outcome: Outcome) -> Outcome:
    """The outcome of the opposite; what is not known stays so."""
    turned = {Outcome.AGREES: Outcome.DISAGREES, Outcome.DISAGREES: Outcome.AGREES}
    return turned.get(outcome, outcome)


@dataclass(frozen=True)
class Case:
    """One of several values that are held against a limit.

    `name` says in print what it is, `interval` gives its interval at a level, `rule` the outcome.
    """

    name: str
    interval: Callable[[float], Interval]
    rule: Callable[[Interval], Outcome]

    @classmethod
    def of(
        cls, name: str, values: Sequence[float | None], rule: Callable[[Interval], Outcome]
    ) -> Case:
        """The mean of values, one per replica."""
        return cls(name, lambda level: student_interval(values, level), rule)

    @classmethod
    def less(
        cls,
        name: str,
        first: Sequence[float | None],
        second: Sequence[float | None],
        rule: Callable[[Interval], Outcome],
        times: float = 1.0,
    ) -> Case:
        """The mean of first - times second, replica by replica."""
        scaled = [None if value is None else times * value for value in second]
        return cls(name, lambda level: paired_difference(first, scaled, level), rule)

    def at(self, level: float = LEVEL) -> Outcome:
        """The outcome at a level."""
        return self.rule(self.interval(level))


def every(cases: Sequence[Case]) -> Outcome:
    """Whether all of some cases hold.

    All must hold together: so each may be asked at the plain level, but that one fails may not.
    """
    if not cases:
        return Outcome.NOT_MEASURED
    plain = [case.at() for case in cases]
    if all(one is Outcome.AGREES for one in plain):
        return Outcome.AGREES
    strict = 1 - (1 - LEVEL) / len(cases)
    failing = [case for case, one in zip(cases, plain, strict=True) if one is Outcome.DISAGREES]
    fails = any(case.at(strict) is Outcome.DISAGREES for case in failing)
    return Outcome.DISAGREES if fails else Outcome.NOT_MEASURED


def why_undecided(cases: Sequence[Case], limit: str) -> str:
    """Why there is no verdict on cases that are held against a limit."""
    found = [(case, case.interval(LEVEL)) for case in cases]
    if all(interval.n < FEWEST for _, interval in found):
        return TOO_FEW
    unknown = [one for one in found if one[0].rule(one[1]) is Outcome.NOT_MEASURED]
    if not unknown:
        names = ", ".join(case.name for case, _ in found if case.at() is Outcome.DISAGREES)
        return (
            f"Undecided, more replicas would tell: the limit of {limit} is not kept by {names}, "
            f"but of {len(cases)} that are compared one may break it by chance."
        )
    (first, interval), *more = unknown
    name = first.name + (f", as of {len(more)} more," if more else "")
    return undecided(name, interval, limit)


def undecided(what: str, interval: Interval, limit: str) -> str:
    """Why there is no verdict on a value that is held against a limit."""
    if interval.n < FEWEST:
        return TOO_FEW
    return (
        f"Undecided, more replicas would tell: the interval of {what} holds the limit of {limit}."
    )


def decided(
    outcome: Outcome, ours: str, reason: str, cases: Sequence[Case], limit: str
) -> Judgement:
    """The judgement on cases that are held against a limit; where it is none, it says why."""
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{why_undecided(cases, limit)} {reason}"
    return Judgement(outcome, ours, reason)
