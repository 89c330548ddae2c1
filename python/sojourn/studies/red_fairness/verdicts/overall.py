"""Verdicts on the abstract and the conclusion."""

from __future__ import annotations

from dataclasses import replace

from sojourn.studies.claims import Outcome
from sojourn.studies.judging import Judgement, Sample, extreme
from sojourn.studies.red_fairness import one_packet
from sojourn.studies.red_fairness.evidence import Evidence
from sojourn.studies.red_fairness.verdicts.common import Rule, judged, relative_gap
from sojourn.studies.tables import percent_text

SLIGHT = 0.001
"""A lead below a thousandth is none, whatever the intervals: the tables do not show as much."""


def slightly_higher(average: Sample) -> Judgement:
    """RED must be above, separated, and by what could be printed."""
    found = extreme(average, "red", "highest")
    gap = relative_gap(average)
    if found.outcome is Outcome.AGREES and gap < SLIGHT:
        reason = f"{found.reason} That is {percent_text(gap, 4)}: nothing."
        return replace(found, outcome=Outcome.DISAGREES, reason=reason)
    return found


def more_throughput(evidence: Evidence) -> Judgement:
    """The goodput averaged over cases 1 and 2."""
    return slightly_higher(evidence.average("goodput_mbps", (1, 2), "all N of cases 1 and 2"))


def fairer(evidence: Evidence) -> Judgement:
    """The index averaged over cases 3 and 4."""
    return slightly_higher(evidence.average("jain", (3, 4), "all D of cases 3 and 4"))


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
