"""Verdicts on the throughput: cases 1 and 2, Figs. 2 and 3, Tables 1 and 2."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sojourn.stats import student_interval
from sojourn.studies.claims import Outcome
from sojourn.studies.judging import Judgement, label
from sojourn.studies.limits import Case, decided, every, grows_by
from sojourn.studies.red_fairness.evidence import Reading
from sojourn.studies.red_fairness.measures import DISCIPLINES
from sojourn.studies.red_fairness.verdicts.common import (
    Rule,
    alike,
    cells,
    judged,
    longer,
    means_text,
    red_above,
)
from sojourn.studies.tables import figure_text
from sojourn.studies.trends import STEADY

COLUMN = "goodput_mbps"


def steady_increase(reading: Reading) -> Judgement:
    """Each step of the number of connections must raise the sum of both."""
    at = reading.at(1)
    ends: list[float] = []
    steps: list[Case] = []
    falls: set[int] = set()
    for name in DISCIPLINES:
        values = {one: reading.sample(COLUMN, 1, one).values[name] for one in at}
        means = {one: student_interval(values[one]).mean or 0.0 for one in at}
        ends += [means[one] / one for one in (at[0], at[-1])]
        for few, many in itertools.pairwise(at):
            step = rise(f"{label(name)}'s step from N = {few} to {many}", values[few], values[many])
            steps.append(step)
            if step.at() is Outcome.DISAGREES:
                falls.add(many)
    outcome = every(steps)
    course = {Outcome.AGREES: "The sum rises at every step."}.get(outcome, "")
    if outcome is Outcome.DISAGREES:
        course = f"The sum falls, or stays, at the step to {', '.join(map(str, sorted(falls)))}."
    reason = (
        f"A connection gets {figure_text(min(ends))} to {figure_text(max(ends))} Mbit/s at the "
        f"ends of the range. {course}"
    ).rstrip()
    return decided(outcome, means_text(reading, COLUMN, 1, at), reason, steps, "zero")


def rise(name: str, few: Sequence[float | None], many: Sequence[float | None]) -> Case:
    """A step up; up to `STEADY` of its mean it is none, unless it is beyond doubt."""
    middle = ((student_interval(few).mean or 0.0) + (student_interval(many).mean or 0.0)) / 2
    return Case.less(name, many, few, lambda step: grows_by(step, STEADY * middle))


RULES: dict[str, Rule] = {
    "case1-equal": judged("case1-equal", "almost equal", alike(COLUMN, 1, 32), [1]),
    "case1-increase": judged("case1-increase", "steady increase", steady_increase, [1]),
    "case1-cells-red": cells("case1-cells-red", COLUMN, 1, "red"),
    "case1-cells-droptail": cells("case1-cells-droptail", COLUMN, 1, "droptail"),
    "case2-equal": judged("case2-equal", "almost equal up to N = 8", alike(COLUMN, 2, 8), [2]),
    "case2-red": judged("case2-red", "RED more from N = 12 on", red_above(COLUMN, 2, 12), [2]),
    "case2-cells-red": cells("case2-cells-red", COLUMN, 2, "red"),
    "case2-cells-droptail": cells("case2-cells-droptail", COLUMN, 2, "droptail"),
    "longer-slower": judged(
        "longer-slower", "250 ms over 80 ms: 0.10 to 0.23", longer(COLUMN, 1, 2, -1), [1, 2]
    ),
}
