"""Verdicts on how the algorithms are described: abstract and section 1.1."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.measures import DISCIPLINES, PUBLISHED
from sojourn.studies.four_aqms.verdicts.common import (
    Rule,
    below,
    contradicts,
    judged,
    verdict,
)
from sojourn.studies.judging import Judgement, extreme, side_by_side
from sojourn.studies.limits import at_most, undecided
from sojourn.studies.tables import figure_text, interval_text
from sojourn.studies.trends import all_of

FEW_PERCENT = 5.0
"""Up to so many of RED's drops may come from a full buffer."""


def red_not_full(evidence: Evidence) -> Verdict:
    """The share of RED's drops that the full buffer makes, against drop-tail's."""
    full = evidence.chosen.intervals("full_percent", ("red",))["red"]
    queue = evidence.chosen.intervals("queue", ("red", "droptail"))
    outcome = at_most(full, FEW_PERCENT)
    reason = (
        f"Of RED's drops {interval_text(full)} % come from a full buffer (it had filled before "
        f"the average knew); on average {figure_text(queue['red'].mean)} packets wait, under "
        f"drop-tail {figure_text(queue['droptail'].mean)}."
    )
    if full.mean is None:
        reason = "Not measured: RED dropped nothing."
    elif outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that share', full, f'{FEW_PERCENT:g} %')} {reason}"
    return verdict(
        evidence,
        "red-not-full",
        outcome,
        "never fully used",
        side_by_side(queue, "packets"),
        reason,
    )


def blue_overflow(evidence: Evidence) -> Verdict:
    """BLUE against drop-tail, which has the overflows alone."""
    sample = evidence.chosen.sample("loss_percent", ("blue", "droptail"))
    full = evidence.chosen.intervals("full_percent", ("blue",))["blue"]
    more = extreme(sample, "blue", "highest")
    reason = (
        f"{sample.difference_text('blue', 'droptail')} points of loss; only {interval_text(full)} "
        f"% of BLUE's drops are overflows, the rest are the ones that its probability makes. The "
        f"results of the publication say that BLUE drops least."
    )
    return verdict(
        evidence,
        "blue-overflow",
        more.outcome,
        "more drops after an overflow",
        sample.text(),
        reason,
    )


def rem_best(reading: Reading) -> Judgement:
    """REM must be first in all three."""
    return all_of(
        {
            "Utilisation": extreme(reading.sample("utilisation_percent"), "rem", "highest"),
            "Delay": extreme(reading.sample("delay_ms"), "rem", "lowest"),
            "Loss": extreme(reading.sample("loss_percent"), "rem", "lowest"),
        }
    )


ACTIVE, PASSIVE = ("red", "blue", "rem"), ("droptail", "sfq")

RULES: dict[str, Rule] = {
    "passive-drops-more": below("passive-drops-more", "loss_percent", ACTIVE, PASSIVE, DISCIPLINES),
    "red-not-full": red_not_full,
    "red-table": contradicts(
        "red-table",
        "p from T_min to T_max, then all",
        "The condition for the first branch, T_min <= Avg <= T_max, contains the second, "
        "Avg = T_max, which therefore never acts; above T_max the table does nothing. The text "
        "beside it lets the queue grow beyond.",
    ),
    "blue-overflow": blue_overflow,
    "blue-tainted": contradicts(
        "blue-tainted",
        "marked flows stay marked",
        "BLUE as its own Table 2 has it keeps one probability P_m for all and nothing of any flow. "
        "The sentence fits Stochastic Fair BLUE, which keeps one per bin of flows.",
    ),
    "rem-motive": judged("rem-motive", rem_best, "REM first in all three"),
}

assert set(PASSIVE) | set(ACTIVE) == set(PUBLISHED) | {"droptail"}
