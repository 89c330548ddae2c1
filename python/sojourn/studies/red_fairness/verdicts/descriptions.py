"""Verdicts on how the disciplines are described: materials and methods, simulation model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sojourn.stats import paired_difference, student_interval
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import Judgement, label
from sojourn.studies.limits import (
    Case,
    at_least,
    at_most,
    between,
    decided,
    every,
    not_so,
    undecided,
)
from sojourn.studies.red_fairness.evidence import Evidence, Reading
from sojourn.studies.red_fairness.measures import DISCIPLINES
from sojourn.studies.red_fairness.verdicts.common import (
    Rule,
    agrees,
    judged,
    means_text,
    told_apart,
)
from sojourn.studies.tables import figure_text, interval_text, percent_text

SEVERE = 0.1
"""A loss of a tenth of the best throughput would be severe."""

FEW_PERCENT = 5.0
"""Up to so many of RED's drops may come from a full buffer."""

NEAR_ONE = (0.75, 1.25)
"""A slope in this range counts as "in proportion"."""


def degrades(reading: Reading) -> Judgement:
    """Drop-tail's goodput at the most connections against its best, in both cases."""
    shares: list[float] = []
    cases: list[Case] = []
    for case in (1, 2):
        at = reading.at(case)
        values = {n: reading.sample("goodput_mbps", case, n).values["droptail"] for n in at}
        means = [student_interval(values[n]).mean or 0.0 for n in at]
        shares.append(means[-1] / max(means) if max(means) else 0.0)
        cases += [kept(case, values, n, at[-1]) for n in at[:-1]]
    reason = (
        f"With the most connections drop-tail delivers {percent_text(min(shares), 0)} or more of "
        f"the best that it delivers with any number."
    )
    ours = means_text(reading, "goodput_mbps", 1, reading.at(1))
    return decided(not_so(every(cases)), ours, reason, cases, "zero")


def kept(case: int, values: Mapping[int, Sequence[float | None]], few: int, most: int) -> Case:
    """That with the most connections no tenth is lost of what fewer had."""
    share = 1 - SEVERE
    name = f"goodput at N = {most} less {percent_text(share)} of that at N = {few} in case {case}"
    return Case.less(name, values[most], values[few], lambda rest: at_least(rest, 0.0), share)


def not_full(evidence: Evidence) -> Verdict:
    """RED's drops for lack of room, where there are enough drops to tell."""
    reading = evidence.large
    most = reading.at(1)[-1]
    full = reading.sample("full_percent", 1, most).intervals()["red"]
    queue = reading.sample("queue", 1, most).intervals()
    outcome = at_most(full, FEW_PERCENT)
    reason = (
        f"With windows of 1000 packets and N = {most}, {interval_text(full)} % of RED's drops come "
        f"from a full buffer; {figure_text(queue['red'].mean)} packets wait on average, under "
        f"drop-tail {figure_text(queue['droptail'].mean)}."
    )
    if full.mean is None:
        reason = f"Not measured: RED dropped nothing, with windows of 1000 packets and N = {most}."
    elif outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that share', full, f'{FEW_PERCENT:g} %')} {reason}"
    # Why the buffer fills, where it does.
    if evidence.settings["red"] == "automatic" and outcome is Outcome.DISAGREES:
        reason += (
            " ns-2's automatic weight averages over ten round-trip times, longer than a burst "
            f"takes to fill {evidence.settings['limit']} packets."
        )
    return Verdict(
        evidence.chosen.published.claims["red-not-full"],
        outcome,
        "never fully used",
        f"{interval_text(full)} % of the drops for lack of room",
        reason,
    )


def proportional(evidence: Evidence) -> Verdict:
    """Slope of the share of drops over the share of packets, among unequal paths."""
    reading = evidence.large
    slope = reading.average("drop_slope", (3,), "all D").intervals()["red"]
    outcome = between(slope, *NEAR_ONE)
    low, high = NEAR_ONE
    reason = (
        f"Among 16 unequal paths with windows of 1000 packets (with 20 there are hardly any "
        f"drops) the slope of a connection's share of the drops over its share of the packets is "
        f"{interval_text(slope)} over all D; 1 would be in proportion, 0 the same for all."
    )
    if slope.mean is None:
        reason = "Not measured: RED dropped nothing, with windows of 1000 packets."
    elif outcome is Outcome.NOT_MEASURED:
        limit = f"{low:g} or {high:g}, between which it would count as in proportion"
        reason = f"{undecided('the slope', slope, limit)} {reason}"
    return Verdict(
        evidence.chosen.published.claims["red-proportional"],
        outcome,
        "in proportion",
        f"slope {interval_text(slope)}",
        reason,
    )


def more_congestion(reading: Reading) -> Judgement:
    """Loss at the most connections against the fewest, both disciplines and cases."""
    rises: list[bool] = []
    texts: list[str] = []
    for case in (1, 2):
        at = reading.at(case)
        few, many = (reading.sample("loss_percent", case, one).values for one in (at[0], at[-1]))
        for name in DISCIPLINES:
            one = paired_difference(many[name], few[name])
            rises.append(one.low is not None and one.low > 0)
            texts.append(f"{label(name)} {interval_text(one)} in case {case}")
    at = reading.at(1)
    reason = f"Loss ratio at N = {at[-1]} less that at N = {at[0]}, in points: {', '.join(texts)}."
    return Judgement(agrees(all(rises)), means_text(reading, "loss_percent", 1, at), reason)


RULES: dict[str, Rule] = {
    "droptail-degrades": judged("droptail-degrades", "severe degradation", degrades, [1, 2]),
    "red-not-full": not_full,
    "red-proportional": proportional,
    "more-congestion": judged(
        "more-congestion",
        "worse",
        told_apart(more_congestion, "loss_percent", [1, 2]),
        [1, 2],
    ),
}
