"""Judgements on what happens along a scale: it grows, it falls, it stays as it is.

A trend holds where the paired difference between the two ends separates and no single step goes
the other way beyond doubt.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sojourn.stats import Interval, separated, student_interval
from sojourn.stats.paired import FEWEST, paired_difference
from sojourn.studies.claims import Outcome
from sojourn.studies.judging import TOO_FEW, Judgement
from sojourn.studies.limits import Case, at_least, every, undecided, within
from sojourn.studies.tables import figure_text, interval_text, percent_beside, percent_text

STEADY = 0.05
"""Means that differ by no more than this share of their mean are called constant: more is not to be
read from a printed figure."""

ORDER_OF_MAGNITUDE = math.sqrt(10)
"""A ratio is nearer to ten than to one above this."""

Way = Literal["grows", "falls"]


@dataclass(frozen=True)
class Scale:
    """Values along a scale: step -> one value per replica, paired by place, in order."""

    steps: Mapping[str, Sequence[float | None]]
    unit: str

    def text(self) -> str:
        """Mean and interval at each step."""
        texts = (f"{name} {interval_text(student_interval(x))}" for name, x in self.steps.items())
        return f"{', '.join(texts)} {self.unit}".rstrip()

    def means(self) -> dict[str, float]:
        """The means that are defined, by step."""
        found = {name: student_interval(values).mean for name, values in self.steps.items()}
        return {name: mean for name, mean in found.items() if mean is not None}


def difference_words(interval: Interval, unit: str) -> str:
    """A difference with its interval: "12.3 [4.5, 20.1] kbit/s"."""
    if interval.low is None or interval.high is None:
        return f"{figure_text(interval.mean)} {unit}".rstrip()
    ends = f"[{figure_text(interval.low)}, {figure_text(interval.high)}]"
    return f"{figure_text(interval.mean)} {ends} {unit}".rstrip()


def goes(scale: Scale, way: Way) -> Judgement:
    """Whether the values grow (fall) along the scale."""
    names = list(scale.means())
    if len(names) < 2:
        return alone(scale)
    sign = 1 if way == "grows" else -1
    first, last = scale.steps[names[0]], scale.steps[names[-1]]
    whole = paired_difference(last, first)
    if whole.n < FEWEST:
        return Judgement(Outcome.NOT_MEASURED, scale.text(), TOO_FEW)
    moved = whole.mean is not None and sign * whole.mean > 0 and separated(last, first)
    back = steps_back(scale, way)
    change = f"from {names[0]} to {names[-1]} it changes by {difference_words(whole, scale.unit)}"
    if not moved:
        change += "" if separated(last, first) else ", which does not separate from none"
    # Of two steps the only one has been told.
    if back and len(names) > 2:
        change += f"; it {'falls' if sign > 0 else 'grows'} {', '.join(back)}"
    agrees = moved and not back
    return Judgement(outcome_of(agrees), scale.text(), f"{change[0].upper()}{change[1:]}.")


def alone(scale: Scale) -> Judgement:
    """That a scale has one step at most, which tells of no other."""
    names = list(scale.means())
    reason = f"Not measured: at {names[0]} alone." if names else "Not measured."
    return Judgement(Outcome.NOT_MEASURED, scale.text(), reason)


def steps_back(scale: Scale, way: Way) -> list[str]:
    """The single steps that go the other way beyond doubt, in words."""
    names = list(scale.means())
    sign = 1 if way == "grows" else -1
    found: list[str] = []
    for a, b in itertools.pairwise(names):
        step = paired_difference(scale.steps[b], scale.steps[a])
        wrong = step.mean is not None and sign * step.mean < 0
        if wrong and separated(scale.steps[b], scale.steps[a], comparisons=len(names) - 1):
            found.append(f"from {a} to {b} by {difference_words(step, scale.unit)}")
    return found


def does_not_grow(scale: Scale, share: float = STEADY) -> Judgement:
    """Whether the values do not grow throughout: they fall somewhere, or stay level.

    Level they are where the whole growth is at most `share` of the mean beyond doubt. A growth that
    is not shown is none of both: then it is not known.
    """
    found = goes(scale, "grows")
    if not found.measured:
        return found
    if found.outcome is Outcome.AGREES:
        return Judgement(Outcome.DISAGREES, found.ours, found.reason)
    means = scale.means()
    names = list(means)
    whole = paired_difference(scale.steps[names[-1]], scale.steps[names[0]])
    limit = share * abs(sum(means.values())) / len(means)
    if steps_back(scale, "grows") or (whole.high is not None and whole.high <= limit):
        return Judgement(Outcome.AGREES, found.ours, found.reason)
    reason = (
        f"Undecided: neither a growth nor a fall is shown, nor a level, which would be a growth "
        f"of {figure_text(limit)} {scale.unit} at most ({percent_text(share)} of the mean). "
        f"{found.reason}"
    )
    return Judgement(Outcome.NOT_MEASURED, found.ours, reason)


def steady(scale: Scale, share: float = STEADY) -> Judgement:
    """Whether all means lie within `share` of each other.

    They do where the paired interval of each difference lies inside, they do not where that of one
    lies outside, at a level that is corrected for the number of pairs.
    """
    means = scale.means()
    if len(means) < 2:
        return alone(scale)
    middle = sum(means.values()) / len(means)
    low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    spread = (means[high] - means[low]) / middle if middle else 0.0
    run = (
        f"The means run from {figure_text(means[low])} ({low}) to {figure_text(means[high])} "
        f"({high}) {scale.unit}, {percent_beside(spread, share, 1)} of their mean"
    )
    if means[low] == means[high]:
        run = f"All means are {figure_text(means[low])} {scale.unit}".rstrip()
    reason = f"{run}; up to {percent_text(share)} counts as constant."
    outcome = constant(scale, share * abs(middle))
    if outcome is Outcome.NOT_MEASURED:
        a, b, difference = furthest(scale)
        what = f"{b} less {a}, {difference_words(difference, scale.unit)},"
        limit = f"{percent_text(share)}, {figure_text(share * abs(middle))} {scale.unit}".rstrip()
        reason = f"{undecided(what, difference, limit)} {reason}"
    return Judgement(outcome, scale.text(), reason)


def furthest(scale: Scale) -> tuple[str, str, Interval]:
    """The two steps that may lie furthest apart, and the difference of the second to the first."""

    def reach(found: tuple[str, str, Interval]) -> float:
        ends = (found[2].low, found[2].high)
        return max(math.inf if end is None else abs(end) for end in ends)

    pairs = itertools.combinations(scale.means(), 2)
    found = [(a, b, paired_difference(scale.steps[b], scale.steps[a])) for a, b in pairs]
    return max(found, key=reach)


def constant(scale: Scale, limit: float) -> Outcome:
    """Whether no two means along a scale differ by more than `limit`."""

    return every(
        [
            Case.less(
                f"{b} less {a}", scale.steps[b], scale.steps[a], lambda gap: within(gap, limit)
            )
            for a, b in itertools.combinations(scale.means(), 2)
        ]
    )


def tenfold(ratio: Sequence[float | None], what: str) -> Judgement:
    """Whether a ratio is an order of magnitude: nearer to ten than to one."""
    found = student_interval(ratio)
    outcome = at_least(found, ORDER_OF_MAGNITUDE)
    text = f"{what}: {interval_text(found)}"
    limit = figure_text(ORDER_OF_MAGNITUDE)
    reason = f"{text}; an order of magnitude begins half-way between one and ten, at {limit}."
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('the ratio', found, limit)} {reason}"
    return Judgement(outcome, text, reason)


def all_of(parts: Mapping[str, Judgement]) -> Judgement:
    """A claim over several cases: it agrees where it agrees in each of them.

    Where it holds in those that were measured, and some were not, it is not measured.
    """
    missing = [name for name, one in parts.items() if not one.measured]
    failing = [
        name
        for name, one in parts.items()
        if one.outcome is not Outcome.AGREES and name not in missing
    ]
    shown = failing or missing or list(parts)
    ours = "; ".join(f"{name}: {one.ours}" for name, one in parts.items())
    reasons = " ".join(f"{name}: {parts[name].reason}" for name in shown)
    head = f"Not so in {len(failing)} of {len(parts)} cases. " if failing else ""
    outcome = outcome_of(not failing)
    if missing and not failing:
        outcome = Outcome.NOT_MEASURED
    return Judgement(outcome, ours, f"{head}{reasons}")


def outcome_of(agrees: bool) -> Outcome:
    """Agrees or disagrees."""
    return Outcome.AGREES if agrees else Outcome.DISAGREES
