"""Verdicts on the fairness: cases 3 and 4, Figs. 4 and 5, Tables 3 and 4, and Jain's index."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import Judgement, label
from sojourn.studies.limits import LEVEL, Case, at_least, at_most, decided, every, not_so
from sojourn.studies.red_fairness.evidence import Evidence, Reading
from sojourn.studies.red_fairness.measures import DISCIPLINES
from sojourn.studies.red_fairness.verdicts.common import (
    Judge,
    Rule,
    cells,
    judged,
    longer,
    means_text,
    places,
    red_above,
)

COLUMN = "jain"


def index_range(evidence: Evidence) -> Verdict:
    """Jain's index of N throughputs that are not all zero is at least 1/N."""
    lowest = ", ".join(f"{1 / n:.3g} for N = {n}" for n in (2, 16, 32))
    least = evidence.frame[COLUMN].min()
    reason = (
        f"Since no throughput is negative, the square of their sum is at least the sum of their "
        f"squares, so that Jain's index, (sum of x)^2 / (N sum of x^2), is at least 1/N: {lowest}. "
        f"The formula printed cannot be read in the copy we have."
    )
    return Verdict(
        evidence.chosen.published.claims["jain-range"],
        Outcome.IMPOSSIBLE,
        "0 to 1",
        f"1/N to 1; least in our runs {float(least):.3f}" if isinstance(least, float) else "-",
        reason,
    )


def contradicted(evidence: Evidence) -> Verdict:
    """Table 3 has RED below drop-tail at two of three D; ours stand beside it."""
    table = evidence.chosen.published.tables[3].values
    lower = [at for at, value in table["red"].items() if value < table["droptail"][at]]
    ours = red_above(COLUMN, 3)(evidence.chosen)
    large = red_above(COLUMN, 3)(evidence.large)
    reason = (
        f"Table 3 itself has RED below drop-tail at {places(3, lower)}. Ours: {ours.reason} With "
        f"windows of 1000 packets: {large.reason}"
    )
    return Verdict(
        evidence.chosen.published.claims["case3-red"],
        Outcome.CONTRADICTS_ITSELF,
        ", ".join(f"{table['red'][at]:g} against {table['droptail'][at]:g}" for at in table["red"]),
        ours.ours,
        reason,
    )


def all_below(case: int, bound: float) -> Judge:
    """The judge for "no index exceeds the bound"."""

    def judge(reading: Reading) -> Judgement:
        at = reading.at(case)
        cases = [
            Case.of(
                f"{label(name)}'s index at {places(case, [one])}",
                reading.sample(COLUMN, case, one).values[name],
                lambda index: at_most(index, bound),
            )
            for name in DISCIPLINES
            for one in at
        ]
        means = [one.interval(LEVEL).mean or 0.0 for one in cases]
        above = sum(mean > bound for mean in means)
        reason = (
            f"{above} of {len(means)} means exceed {bound:g}; they run from {min(means):.3f} to "
            f"{max(means):.3f}."
        )
        ours = means_text(reading, COLUMN, case, at)
        return decided(every(cases), ours, reason, cases, f"{bound:g}")

    return judge


def shares_badly(reading: Reading) -> Judgement:
    """Drop-tail's index among equal paths: bad would be below 0.9 somewhere."""
    cases = {
        (n, case): Case.of(
            f"drop-tail's index at N = {n} in case {case}",
            reading.sample(COLUMN, case, n).values["droptail"],
            lambda index: at_least(index, FAIR),
        )
        for case in (1, 2)
        for n in reading.at(case)
    }
    means = {where: one.interval(LEVEL).mean or 0.0 for where, one in cases.items()}
    n, case = min(means, key=lambda where: (means[where], where))
    reason = (
        f"Among equal paths drop-tail's index is {means[n, case]:.3f} or more (least at N = {n} "
        f"in case {case})."
    )
    found = list(cases.values())
    ours = means_text(reading, COLUMN, 1, reading.at(1))
    return decided(not_so(every(found)), ours, reason, found, f"{FAIR:g}")


FAIR = 0.9
"""From here on nobody would call a share bad."""

RULES: dict[str, Rule] = {
    "jain-range": index_range,
    "droptail-unfair": judged("droptail-unfair", "bad", shares_badly, [1, 2]),
    "case3-red": contradicted,
    "case3-below": judged("case3-below", "below 0.7", all_below(3, 0.7), [3]),
    "case3-cells-red": cells("case3-cells-red", COLUMN, 3, "red"),
    "case3-cells-droptail": cells("case3-cells-droptail", COLUMN, 3, "droptail"),
    "case4-red": judged("case4-red", "RED fairer at each D", red_above(COLUMN, 4), [4]),
    "case4-below": judged("case4-below", "at most 0.8", all_below(4, 0.8), [4]),
    "case4-cells-red": cells("case4-cells-red", COLUMN, 4, "red"),
    "case4-cells-droptail": cells("case4-cells-droptail", COLUMN, 4, "droptail"),
    "longer-fairer": judged(
        "longer-fairer", "250 ms over 75 ms: 1.12 to 1.42", longer(COLUMN, 3, 4, 1), [3, 4]
    ),
}
