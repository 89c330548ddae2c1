"""What an experiment asked and what it answers, in words that claim no more than its intervals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from sojourn.comparing import LEAST, differences, per_replica, ranking
from sojourn.experiments.cases import answers, cases, compared_points
from sojourn.metrics import better
from sojourn.plots.choice import link_of
from sojourn.plots.looks import looks
from sojourn.plots.quantities import AxisLabel, axis_label, axis_label_of
from sojourn.plots.ranks import usual
from sojourn.results import Results
from sojourn.stats.intervals import Interval, student_interval
from sojourn.stats.paired import FEWEST
from sojourn.wording import counted, enumerated, from_to, in_full, short_key

HOW_SURE = (
    "Beyond doubt means: the differences between runs under the same draws, replica by replica, "
    "keep clear of zero at 95 % (Student's t, Holm's correction over all pairs of a case, also in "
    "the corrected intervals)."
)

ONLY_CASE = "the only case where several are compared"


def question(results: Results) -> list[str]:
    """What was asked, on what, with how many runs."""
    scenario = results.scenario
    labels = [_spoken(one.label) for one in looks(answers(scenario)).values()]
    link = link_of(results, None)
    if len(labels) > 1:
        asked = f"How do {enumerated(labels)} do at the link {link}?"
    else:
        asked = f"How does {labels[0] or scenario.name} do at the link {link}?"
    keys = [key for key in scenario.core.vary_keys if key in cases(scenario)[0].where]
    texts = []
    for key in keys:
        values = list(dict.fromkeys(in_full(point[key]) for point in scenario.vary))
        texts.append(f"{short_key(key)} {_range(values)}")
    varied = f" It was asked for {enumerated(texts)}." if texts else ""
    seconds = from_to(map(scenario.core.duration_s, range(scenario.core.points)))
    warmups = results.runs["warmup_s"].drop_nulls()
    start = f", measured from {from_to(warmups)} on" if any(warmups) else ""
    points = counted(scenario.core.points, "point")
    runs = counted(len(results.runs), "run")
    return [
        asked + varied,
        f"{points}, {_replicas(results)} of each, {runs} of "
        f"{seconds} simulated time{start}. Seed {results.seed}.",
    ]


def _replicas(results: Results) -> str:
    """How many replicas the points have: ``1 to 2 replicas``."""
    counts = Counter(dict.fromkeys(range(results.scenario.core.points), 0))
    counts.update(results.runs["point"])
    fewest, most = min(counts.values()), max(counts.values())
    return counted(most, "replica") if fewest == most else f"{fewest} to {counted(most, 'replica')}"


def answer(results: Results, least: float = LEAST) -> list[str]:
    """The answer: who is best in what, by how much, and where nobody is.

    Nobody is best who is ahead by the share ``least`` or less.
    """
    groups = compared_points(results.scenario)
    quantities = usual(results)
    if max(len(group) for group in groups) < 2:
        return [_alone(results, quantity) for quantity in quantities]
    if len(results.alike) == results.scenario.core.points:
        return ["All replicas of a point are the same run: nothing can be told apart."]
    most = int(str(results.runs.group_by("point").len()["len"].max()))
    if most < FEWEST:
        message = f"{_replicas(results)} of each point: nothing can be told apart."
        return [f"{message} Run more: --replicas 10."]
    say = _best_of_one_case if len(groups) == 1 else _best_of_many_cases
    worth = f" Nothing is called best that is ahead by {100 * least:g} % or less." if least else ""
    return [*(say(results, quantity, least) for quantity in quantities), HOW_SURE + worth]


def value_text(interval: Interval, how: AxisLabel, kind: str = "95 % interval") -> str:
    """A mean with its interval, in words."""
    if interval.mean is None:
        return "undefined"
    text = f"{number(interval.mean * how.factor)}"
    unit = f" {how.unit}" if how.unit else ""
    if interval.low is None or interval.high is None:
        return text + unit
    low, high = number(interval.low * how.factor), number(interval.high * how.factor)
    return f"{text}{unit} ({kind} {low} to {high})"


def number(value: float) -> str:
    """Three digits, as people write them."""
    text = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return text.replace("-", "−")


def with_half(mean: float, half: float | None) -> str:
    """A mean ± half of its interval, to two digits of that half, four decimals at most."""
    if not half:
        return number(mean) + (" ± 0" if half == 0 else "")
    decimals = min(max(1 - math.floor(math.log10(half)), 0), 4)
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f}".replace("-", "−")


def name_of(quantity: str) -> str:
    """A quantity in words: "mean queueing delay at bottleneck"."""
    words = axis_label_of(quantity).words
    table, _, rest = quantity.partition(".")
    return f"{words} at {rest.rpartition('.')[0]}" if table == "links" else words


def _best_of_one_case(results: Results, quantity: str, least: float) -> str:
    ranks, labels, how, end = _ranks(results, quantity, least)
    first = ranks.filter(pl.col("rank") == 1).sort("mean", descending=end == "highest")
    if first.is_empty():
        return f"The {name_of(quantity)} is undefined."
    best = first.row(0, named=True)
    is_sole = len(first) == 1 and not best["ties"]
    text = value_text(Interval(best["mean"], best["low"], best["high"], 0), how)
    if not is_sole:
        tied = [point for point in first["point"] if point != best["point"]]
        valued = set(ranks.drop_nulls("mean")["point"])
        tied = tied or [point for point in best["ties"] if point in valued]
        if not tied:
            only = f"only {labels[best['point']]} has a value ({text})"
            return f"Nobody has the {end} {name_of(quantity)} beyond doubt: {only}."
        names = enumerated([labels[best["point"]], *(labels[point] for point in tied)])
        far = f" by more than {100 * least:g} %" if least else ""
        return (
            f"Nobody has the {end} {name_of(quantity)} beyond doubt: {names} do not separate{far} "
            f"({labels[best['point']]}: {text})."
        )
    others = ranks.filter(pl.col("point") != best["point"])
    others = others.sort("mean", descending=end == "highest")
    following = others["point"][0]
    by = _difference(results, quantity, best["point"], following)
    less = "more" if end == "highest" else "less"
    lead = value_text(by, _difference_of(how), "corrected interval")
    return (
        f"{labels[best['point']]} has the {end} {name_of(quantity)}: {text}, "
        f"{lead} {less} than {labels[following]}, the next."
    )


def _best_of_many_cases(results: Results, quantity: str, least: float) -> str:
    ranks, labels, how, end = _ranks(results, quantity, least)
    # A point that is alone in its case is ahead of nobody.
    groups = [group for group in compared_points(results.scenario) if len(group) > 1]
    leads: dict[str, list[float]] = {}
    for group in groups:
        rows = ranks.filter(pl.col("point").is_in(group))
        first = rows.filter(pl.col("rank") == 1)
        if len(first) == 1 and not first["ties"][0].len():
            best = first["point"][0]
            others = rows.filter(pl.col("point") != best).sort("mean", descending=end == "highest")
            by = _difference(results, quantity, best, others["point"][0])
            leads.setdefault(labels[best], []).append((by.mean or 0.0) * how.factor)
    of = f"the {end} {name_of(quantity)}"
    if not leads:
        where = f"any of the {len(groups)} cases" if len(groups) > 1 else ONLY_CASE
        return f"Nobody has {of} beyond doubt in {where}."
    (name, most), *rest = sorted(leads.items(), key=lambda one: -len(one[1]))
    where = f"{len(most)} of {len(groups)} cases" if len(groups) > 1 else ONLY_CASE
    text = f"{name} has {of} beyond doubt in {where}"
    text += f", {_lead(most, how)} ahead of the next"
    text += "".join(f"; {other} in {len(by)}, {_lead(by, how)} ahead" for other, by in rest)
    undecided = len(groups) - sum(map(len, leads.values()))
    return f"{text}. In {undecided} nobody has." if undecided else f"{text}."


def _lead(by: Sequence[float], how: AxisLabel) -> str:
    """How far ahead: one number, or from the least to the greatest."""
    least, most = number(min(by)), number(max(by))
    text = least if least == most else f"{least} to {most}"
    return f"{text} {_difference_of(how).unit}".strip()


def _difference_of(how: AxisLabel) -> AxisLabel:
    """How a difference is shown: of shares in percentage points."""
    return replace(how, unit="percentage points") if how.unit == "%" else how


def _ranks(
    results: Results, quantity: str, least: float
) -> tuple[pl.DataFrame, list[str], AxisLabel, str]:
    metric = quantity.rpartition(".")[2]
    end = better(metric) or "lower"
    names = answers(results.scenario)
    drawn = looks(names)
    word = "highest" if end == "higher" else "lowest"
    return (
        ranking(results, quantity, end, least=least),
        [_spoken(drawn[one].label) for one in names],
        axis_label(metric),
        word,
    )


def _difference(results: Results, quantity: str, first: int, second: int) -> Interval:
    """The paired difference of two points, as a positive number."""
    pairs = differences(results, quantity)
    wanted = {first, second}
    for row in pairs.iter_rows(named=True):
        if {row["first"], row["second"]} == wanted:
            low, high = row["low"], row["high"]
            if row["mean"] < 0:
                low, high = (None if high is None else -high), (None if low is None else -low)
            return Interval(abs(row["mean"]), low, high, 0)
    return Interval(None, None, None, 0)


def _alone(results: Results, quantity: str) -> str:
    values = per_replica(results, quantity)
    how = axis_label(quantity.rpartition(".")[2])
    intervals = [student_interval(values[point]) for point in sorted(values)]
    name = name_of(quantity)
    name = name[:1].upper() + name[1:]
    if len(intervals) == 1:
        return f"{name}: {value_text(intervals[0], how)}."
    means = [one for one in intervals if one.mean is not None]
    if not means:
        return f"{name}: undefined."
    least = min(means, key=lambda one: one.mean or 0.0)
    most = max(means, key=lambda one: one.mean or 0.0)
    return f"{name}: from {value_text(least, how)} to {value_text(most, how)}."


def _spoken(label: str) -> str:
    """A label among others: its settings in brackets, since commas part the labels."""
    name, comma, settings = label.partition(", ")
    return f"{name} ({settings})" if comma else label


def _range(values: Sequence[str]) -> str:
    if len(values) <= 3:
        return enumerated(values)
    return f"{values[0]} to {values[-1]} ({len(values)} values)"
