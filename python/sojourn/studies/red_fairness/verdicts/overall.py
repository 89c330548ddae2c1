"""Verdicts on the abstract and the conclusion."""

from __future__ import annotations

from dataclasses import replace

from sojourn.stats import paired_difference
from sojourn.studies.claims import Outcome
from sojourn.studies.judging import Judgement, Sample, extreme
from sojourn.studies.limits import at_least, undecided
from sojourn.studies.red_fairness import one_packet
from sojourn.studies.red_fairness.evidence import Reading
from sojourn.studies.red_fairness.verdicts.common import Rule, judged, relative_gap
from sojourn.studies.tables import percent_text

SLIGHT = 0.001
"""A lead below a thousandth is none, whatever the intervals: the tables do not show as much."""


def slightly_higher(average: Sample) -> Judgement:
    """RED must be above, separated, and by what could be printed."""
    found = extreme(average, "red", "highest")
    if found.outcome is not Outcome.AGREES:
        return found
    lead = paired_difference(average.values["red"], average.values["droptail"])
    limit = SLIGHT * abs(average.intervals()["droptail"].mean or 0.0)
    outcome = at_least(lead, limit)
    reason = found.reason
    if outcome is Outcome.DISAGREES:
        reason += f" That is {percent_text(relative_gap(average), 4)}: nothing."
    elif outcome is Outcome.NOT_MEASURED:
        text = f"{percent_text(SLIGHT, 1)}, below which it would be nothing"
        reason = f"{undecided('the lead', lead, text)} {reason}"
    return replace(found, outcome=outcome, reason=reason)


def more_throughput(reading: Reading) -> Judgement:
    """The goodput averaged over cases 1 and 2."""
    return slightly_higher(reading.average("goodput_mbps", (1, 2), "all N of cases 1 and 2"))


def fairer(reading: Reading) -> Judgement:
    """The index averaged over cases 3 and 4."""
    return slightly_higher(reading.average("jain", (3, 4), "all D of cases 3 and 4"))


RULES: dict[str, Rule] = {
    "conclusion-throughput": judged(
        "conclusion-throughput",
        "RED slightly higher",
        more_throughput,
        [1, 2],
        one_packet.words,
    ),
    "conclusion-fairness": judged("conclusion-fairness", "RED higher", fairer, [3, 4]),
}
