"""Verdicts on the throughput: cases 1 and 2, Figs. 2 and 3, Tables 1 and 2."""

from __future__ import annotations

import itertools

from sojourn.studies.judging import Judgement
from sojourn.studies.red_fairness.evidence import Evidence
from sojourn.studies.red_fairness.measures import DISCIPLINES
from sojourn.studies.red_fairness.verdicts.common import (
    Rule,
    agrees,
    alike,
    cells,
    judged,
    longer,
    means_text,
    red_above,
)
from sojourn.studies.tables import figure_text

COLUMN = "goodput_mbps"


def steady_increase(evidence: Evidence) -> Judgement:
    """Each step of the number of connections must raise the mean of both, evenly.

    Evenly: what a connection gets stays within a tenth of its mean over the steps.
    """
    at = evidence.at(1)
    falls: list[str] = []
    spreads: list[float] = []
    for name in DISCIPLINES:
        means = [one.mean or 0.0 for one in evidence.intervals(COLUMN, 1, name).values()]
        falls += [
            str(b) for a, b in itertools.pairwise(at) if means[at.index(a)] >= means[at.index(b)]
        ]
        each = [mean / n for mean, n in zip(means, at, strict=True)]
        spreads += [each[0], each[-1]]
    reason = (
        f"A connection gets {figure_text(min(spreads))} to {figure_text(max(spreads))} Mbit/s at "
        f"the ends of the range. "
        + (
            f"The sum falls, or stays, at the step to {', '.join(sorted(set(falls), key=int))}."
            if falls
            else "The sum rises at every step."
        )
    )
    return Judgement(agrees(not falls), means_text(evidence, COLUMN, 1, at), reason)


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
