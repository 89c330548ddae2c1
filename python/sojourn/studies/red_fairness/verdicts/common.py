"""Rules: from the evidence to a verdict. Most can be judged again under every reading."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sojourn.stats import paired_difference, separated
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import TOO_FEW, Judgement, Sample, label, printed_numbers
from sojourn.studies.limits import Case, decided, every, within
from sojourn.studies.red_fairness.evidence import Evidence, Reading
from sojourn.studies.red_fairness.measures import DISCIPLINES, MEASURES
from sojourn.studies.tables import MISSING, figure_text, percent_text

Rule = Callable[[Evidence], Verdict]

Judge = Callable[[Reading], Judgement]
"""Judges a claim under one reading of the publication."""

JUDGES: dict[str, Judge] = {}
"""Claims that can be judged again under every reading, filled by `judged`."""

ALMOST = 0.02
"""Throughputs that differ by no more than this share are almost the same."""


def agrees(holds: bool) -> Outcome:
    """The outcome of a claim that can be measured."""
    return Outcome.AGREES if holds else Outcome.DISAGREES


def where_run(judge: Judge, cases: Sequence[int]) -> Judge:
    """The judge, silent about evidence that lacks one of its cases."""

    def careful(reading: Reading) -> Judgement:
        if all(reading.at(case) for case in cases):
            return judge(reading)
        return Judgement(Outcome.NOT_MEASURED, MISSING, "Not run.")

    return careful


def told_apart(judge: Judge, column: str, cases: Sequence[int]) -> Judge:
    """The judge, silent where a measure has too few replicas to tell anything apart."""

    def careful(reading: Reading) -> Judgement:
        samples = [reading.sample(column, case, at) for case in cases for at in reading.at(case)]
        if any(one.measured for one in samples):
            return judge(reading)
        texts = (means_text(reading, column, case, reading.at(case)) for case in cases)
        return Judgement(Outcome.NOT_MEASURED, " | ".join(texts), TOO_FEW)

    return careful


def judged(
    claim: str,
    published: str,
    judge: Judge,
    cases: Sequence[int],
    more: Callable[[Evidence], str] | None = None,
) -> Rule:
    """The rule of a judgement on some cases that can be passed under every reading.

    The reason tells also what windows of 1000 make of it, where those were not chosen, and `more`.
    """
    JUDGES[claim] = where_run(judge, cases)

    def rule(evidence: Evidence) -> Verdict:
        found = judge(evidence.chosen)
        reason = found.reason
        if not same(evidence):
            other = judge(evidence.large)
            reason += f" With windows of 1000 packets: {other.outcome.value}. {other.reason}"
        if more is not None:
            reason = f"{reason} {more(evidence)}".rstrip()
        return Verdict(
            evidence.chosen.published.claims[claim], found.outcome, published, found.ours, reason
        )

    return rule


def same(evidence: Evidence) -> bool:
    """Whether windows of 1000 are what was chosen."""
    return evidence.chosen.frame.equals(evidence.large.frame)


def places(case: int, at: Sequence[int]) -> str:
    """The places in words: "N = 2, 4, 8"."""
    return f"{'N' if case < 3 else 'D'} = {', '.join(str(one) for one in at)}"


def means_text(reading: Reading, column: str, case: int, at: Sequence[int]) -> str:
    """Both disciplines' means over the places, without their intervals."""
    texts = [
        f"{label(name)} "
        + ", ".join(
            figure_text(reading.sample(column, case, one).intervals()[name].mean) for one in at
        )
        for name in DISCIPLINES
    ]
    unit = MEASURES[column].unit
    return f"{'; '.join(texts)} {unit}".rstrip() + f" at {places(case, at)}"


def alike(column: str, case: int, most: int) -> Judge:
    """The judge for "almost the same up to `most`"."""

    def judge(reading: Reading) -> Judgement:
        at = [one for one in reading.at(case) if one <= most]
        cases = {one: almost(reading.sample(column, case, one), places(case, [one])) for one in at}
        gaps = {one: relative_gap(reading.sample(column, case, one)) for one in at}
        worst = max(gaps, key=lambda one: abs(gaps[one]))
        near = [one for one in at if cases[one].at() is Outcome.AGREES]
        limit = percent_text(ALMOST)
        reason = (
            f"The largest difference is RED's {percent_text(gaps[worst], 1)} at "
            f"{places(case, [worst])}; {len(near)} of {len(at)} are within {limit}."
        )
        found = list(cases.values())
        ours = means_text(reading, column, case, at)
        return decided(every(found), ours, reason, found, limit)

    return judge


def almost(sample: Sample, where: str) -> Case:
    """RED less drop-tail: within `ALMOST` of drop-tail's mean."""
    values = sample.values
    limit = ALMOST * abs(sample.intervals()["droptail"].mean or 0.0)
    name = f"RED's difference at {where}"
    return Case.less(name, values["red"], values["droptail"], lambda gap: within(gap, limit))


def relative_gap(sample: Sample) -> float:
    """RED over drop-tail, less one."""
    means = {name: one.mean for name, one in sample.intervals().items()}
    return (means["red"] or 0.0) / means["droptail"] - 1 if means["droptail"] else 0.0


def red_above(column: str, case: int, least: int = 0) -> Judge:
    """The judge for "RED has more at each place from `least` on": each must separate."""

    def judge(reading: Reading) -> Judgement:
        at = [one for one in reading.at(case) if one >= least]
        better, worse, tied = split(reading, column, case, at)
        parts = [
            f"{who} at {places(case, where)}"
            for who, where in (
                ("RED has more", better),
                ("drop-tail has more", worse),
                ("no difference that the intervals carry", tied),
            )
            if where
        ]
        worst = min(at, key=lambda one: relative_gap(reading.sample(column, case, one)))
        best = max(at, key=lambda one: relative_gap(reading.sample(column, case, one)))
        gaps = [
            f"{places(case, [one])} {difference_text(reading.sample(column, case, one))}"
            for one in sorted({worst, best})
        ]
        text = "; ".join(parts)
        reason = f"{text[0].upper()}{text[1:]}. Extremes of RED - drop-tail: {', '.join(gaps)}."
        holds = bool(at) and len(better) == len(at)
        return Judgement(agrees(holds), means_text(reading, column, case, at), reason)

    return told_apart(judge, column, [case])


def split(
    reading: Reading, column: str, case: int, at: Sequence[int]
) -> tuple[list[int], list[int], list[int]]:
    """Places where RED has more, where drop-tail has, and where they do not separate."""
    found: tuple[list[int], list[int], list[int]] = ([], [], [])
    for one in at:
        values = reading.sample(column, case, one).values
        difference = paired_difference(values["red"], values["droptail"]).mean
        apart = separated(values["red"], values["droptail"], comparisons=len(at))
        if not apart or difference is None:
            found[2].append(one)
        else:
            found[0 if difference > 0 else 1].append(one)
    return found


def difference_text(sample: Sample) -> str:
    """RED - drop-tail with its paired interval."""
    one = paired_difference(sample.values["red"], sample.values["droptail"])
    if one.mean is None or one.low is None or one.high is None:
        return figure_text(one.mean)
    ends = f"[{figure_text(one.low)}, {figure_text(one.high)}]" if one.low != one.high else ""
    return f"{figure_text(one.mean)} {ends} {sample.unit}".replace("  ", " ").rstrip()


def cells(claim: str, column: str, case: int, discipline: str) -> Rule:
    """The rule for the printed numbers of a column."""

    def judge(reading: Reading) -> Judgement:
        ours = reading.intervals(column, case, discipline)
        printed = reading.published.tables[case].values[discipline]
        shown = {f"{places(case, [one])}": printed[one] for one in ours}
        found = {f"{places(case, [one])}": interval for one, interval in ours.items()}
        return printed_numbers(shown, found, MEASURES[column].unit)

    JUDGES[claim] = where_run(judge, [case])

    def rule(evidence: Evidence) -> Verdict:
        printed = evidence.chosen.published.tables[case].values[discipline]
        text = ", ".join(f"{value:g}" for value in printed.values())
        found = judge(evidence.chosen)
        best = nearest(evidence, JUDGES[claim])
        return Verdict(
            evidence.chosen.published.claims[claim],
            found.outcome,
            f"{text} {MEASURES[column].unit} at {places(case, list(printed))}".replace("  ", " "),
            found.ours,
            f"{found.reason}{best}",
        )

    return rule


def nearest(evidence: Evidence, judge: Judge) -> str:
    """Which other reading agrees, if any."""
    agreeing = [
        name for name, one in evidence.readings.items() if judge(one).outcome is Outcome.AGREES
    ]
    return f" It fits with {'; '.join(agreeing)}." if agreeing else " No other reading fits."


def longer(column: str, short: int, long: int, sign: int) -> Judge:
    """The judge for "a longer T1 lowers (sign -1) or raises (+1) the measure everywhere"."""

    def judge(reading: Reading) -> Judgement:
        against: list[str] = []
        ratios: list[float] = []
        for at in reading.at(long):
            first, second = (reading.sample(column, case, at).values for case in (short, long))
            for name in DISCIPLINES:
                one = paired_difference(second[name], first[name])
                clear = separated(second[name], first[name])
                if one.mean is None or not clear or sign * one.mean < 0:
                    against.append(f"{label(name)} at {places(long, [at])}")
                mean = reading.sample(column, short, at).intervals()[name].mean
                if mean and one.mean is not None:
                    ratios.append(1 + one.mean / mean)
        reason = (
            f"Long over short T1: {min(ratios):.2f} to {max(ratios):.2f}"
            if ratios
            else "Nothing was delivered"
        )
        reason += f"; not so, or not separated: {', '.join(against)}." if against else "."
        texts = (means_text(reading, column, case, reading.at(case)) for case in (short, long))
        return Judgement(agrees(not against), " | ".join(texts), reason)

    return told_apart(judge, column, [short, long])
