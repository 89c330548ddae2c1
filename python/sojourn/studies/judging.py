"""Judgements that most claims need: an order over disciplines, and printed numbers.

A study measures (one value per replica and discipline), this file judges: an order holds only where
the paired intervals separate after Holm's correction over all pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sojourn.plots.looks import look
from sojourn.stats import Comparison, Interval, compare_all, rank, student_interval
from sojourn.stats.paired import FEWEST
from sojourn.studies.claims import Claim, Outcome, Verdict
from sojourn.studies.tables import figure_text, interval_text, percent_text

NEAR = 0.05
"""A printed number agrees if it lies inside our interval or within this share of our mean: it has
an error of its own, which the publications do not give."""

End = Literal["lowest", "highest"]
"""Which end of a scale a claim speaks of."""


def label(discipline: str) -> str:
    """The name of a discipline in print."""
    return look(discipline).label


def labels(disciplines: Sequence[str]) -> str:
    """Several names in print: "RED, REM and SFQ"."""
    names = [label(one) for one in disciplines]
    if len(names) < 2:
        return "".join(names)
    return ", ".join(names[:-1]) + " and " + names[-1]


def side_by_side(intervals: Mapping[str, Interval], unit: str) -> str:
    """Means with their intervals as text, with their unit."""
    texts = [f"{label(name)} {interval_text(one)}" for name, one in intervals.items()]
    return ", ".join(texts) + (f" {unit}" if unit else "")


WIDEST = 0.25
"""Half-width, as a share of the mean, beyond which an interval is no measurement of a number."""


def near(value: float, interval: Interval, widest: float = WIDEST) -> bool:
    """Whether a printed value agrees with our interval.

    An interval whose half-width is above `widest`, as a share of its mean, tells nothing.
    """
    if interval.mean is None:
        return False
    told = (interval.half_width or 0.0) <= widest * abs(interval.mean)
    close = abs(value - interval.mean) <= NEAR * abs(interval.mean)
    return close or (told and interval.contains(value))


TOO_FEW = f"Not measured: with fewer than {FEWEST} replicas nothing can be told apart."
"""Why an order or a trend has no verdict."""

NEAR_WORDS = f"inside our 95 % interval or within {percent_text(NEAR)} of our mean"
"""What `near` asks for."""


@dataclass(frozen=True)
class Sample:
    """One measure of all that are compared: discipline -> one value per replica, paired by place.

    `unit` may be empty; `where` says over what was measured: "all loads".
    """

    values: Mapping[str, Sequence[float | None]]
    unit: str
    where: str = ""

    def intervals(self) -> dict[str, Interval]:
        """Mean and 95 % interval by discipline."""
        return {name: student_interval(values) for name, values in self.values.items()}

    @property
    def measured(self) -> bool:
        """Whether there are values to judge by: enough to be told apart, of any."""
        return any(one.n >= FEWEST for one in self.intervals().values())

    def comparisons(self) -> list[Comparison]:
        """All pairs, with Holm's correction."""
        return compare_all(self.values)

    def text(self) -> str:
        """All means as text."""
        unit = " ".join(part for part in (self.unit, f"({self.where})" * bool(self.where)) if part)
        return side_by_side(self.intervals(), unit)

    def difference_text(self, a: str, b: str) -> str:
        """The adjusted paired difference a - b in words."""
        for one in self.comparisons():
            if {one.first, one.second} == {a, b}:
                sign = 1 if one.first == a else -1
                mean, low, high = one.interval.mean, one.interval.low, one.interval.high
                if mean is None:
                    break
                text = f"{label(a)} - {label(b)} = {figure_text(sign * mean)}"
                if low is None or high is None:
                    return text
                ends = sorted((sign * low, sign * high))
                return f"{text} [{figure_text(ends[0])}, {figure_text(ends[1])}]"
        return f"{label(a)} - {label(b)} undefined"

    def _differences(self, who: str, others: Sequence[str]) -> str:
        texts = "; ".join(self.difference_text(who, name) for name in others)
        return f"{texts} {self.unit}".rstrip()


@dataclass(frozen=True)
class Judgement:
    """An outcome with its reason and the numbers it rests on."""

    outcome: Outcome
    ours: str
    reason: str

    @property
    def measured(self) -> bool:
        """Whether there is something to judge by."""
        return self.outcome is not Outcome.NOT_MEASURED

    def on(self, claim: Claim, published: str) -> Verdict:
        """The verdict on a claim."""
        return Verdict(claim, self.outcome, published, self.ours, self.reason)


def extreme(sample: Sample, who: str, end: End) -> Judgement:
    """Whether `who` has the lowest (highest) value: it must separate from all others."""
    if not sample.measured:
        return not_measured(sample)
    ranks = rank(sample.values, "lower" if end == "lowest" else "higher")
    mine = ranks[who]
    over = f" over {sample.where}" if sample.where else ""
    if not mine.beaten_by and not mine.ties:
        nearest = min(
            mine.beats,
            key=lambda name: abs((ranks[name].interval.mean or 0.0) - (mine.interval.mean or 0.0)),
        )
        agrees = True
        reason = (
            f"{label(who)} is the {end}, separated from each of the others; nearest: "
            f"{sample._differences(who, [nearest])}."
        )
    elif mine.beaten_by:
        agrees = False
        word = "lower" if end == "lowest" else "higher"
        verb = "is" if len(mine.beaten_by) == 1 else "are"
        reason = (
            f"{labels(mine.beaten_by)} {verb} {word}: {sample._differences(who, mine.beaten_by)} "
            f"(paired, adjusted intervals)."
        )
    elif all(ranks[name].interval == mine.interval for name in ranks):
        agrees = False
        value = f"{interval_text(mine.interval)} {sample.unit}".rstrip()
        reason = f"No difference at all: each of them has {value}{over}."
    else:
        agrees = False
        reason = (
            f"No difference that the intervals carry: {label(who)} ties with "
            f"{labels(mine.ties)} ({sample._differences(who, mine.ties)})."
        )
    outcome = Outcome.AGREES if agrees else Outcome.DISAGREES
    return Judgement(outcome, sample.text(), reason)


def not_measured(sample: Sample) -> Judgement:
    """That there is no value to judge by, or are too few."""
    some = any(one.n for one in sample.intervals().values())
    reason = f"Not measured: no run with {sample.where or 'a value'}."
    if some:
        reason = TOO_FEW
    return Judgement(Outcome.NOT_MEASURED, sample.text(), reason)


def apart(sample: Sample, lower: Sequence[str], higher: Sequence[str]) -> Judgement:
    """Whether each of `lower` lies below each of `higher`, separated."""
    if not sample.measured:
        return not_measured(sample)
    wrong: list[str] = []
    least = ""
    for one in sample.comparisons():
        for a, b in ((one.first, one.second), (one.second, one.first)):
            if a in lower and b in higher:
                text = f"{sample.difference_text(a, b)} {sample.unit}".rstrip()
                least = least or text
                if one.lower != a:
                    wrong.append(text)
    reason = (
        f"Not every difference has the claimed sign and separates: {'; '.join(wrong)}."
        if wrong
        else f"{labels(lower)} below {labels(higher)}, each pair separated, as in {least}."
    )
    outcome = Outcome.DISAGREES if wrong else Outcome.AGREES
    return Judgement(outcome, sample.text(), reason)


def printed_numbers(
    printed: Mapping[str, float],
    ours: Mapping[str, Interval],
    unit: str,
    name: Callable[[str], str] = str,
) -> Judgement:
    """Whether all printed numbers agree with ours, by the key of a row or column."""
    if all(ours[key].mean is None for key in printed):
        return Judgement(Outcome.NOT_MEASURED, "", "Not measured: no run with a value.")
    agreeing = [key for key in printed if near(printed[key], ours[key])]
    ratios = ", ".join(
        f"{name(key)} {figure_text(printed[key] / mean)}"
        for key in printed
        if (mean := ours[key].mean)
    )
    reason = (
        f"{len(agreeing)} of {len(printed)} numbers lie {NEAR_WORDS}; published / ours: "
        f"{ratios or 'undefined'}."
    )
    texts = ", ".join(f"{name(key)} {interval_text(ours[key])}" for key in printed)
    outcome = Outcome.AGREES if len(agreeing) == len(printed) else Outcome.DISAGREES
    return Judgement(outcome, f"{texts} {unit}".rstrip(), reason)
