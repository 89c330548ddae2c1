"""Verdicts on the two networks: Figs. 6 to 11."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import (
    NEAR_WORDS,
    End,
    Judgement,
    apart,
    extreme,
    label,
    labels,
    near,
    side_by_side,
)
from sojourn.studies.large_network.bounds import limit_packets
from sojourn.studies.large_network.disciplines import DISCIPLINES
from sojourn.studies.large_network.evidence import MANY_READINGS, ONE_READINGS, Evidence
from sojourn.studies.large_network.verdicts.common import Judge, Rule, judged, printed
from sojourn.studies.tables import figure_text
from sojourn.studies.trends import Scale, all_of, outcome_of, steady

Network = Literal["one", "many"]

ACTIVE = ("red", "codel")
PASSIVE = ("droptail", "pfifo_fast")

READINGS = {"one": ONE_READINGS, "many": MANY_READINGS}


def case_of(evidence: Evidence, network: Network) -> str:
    """The case that stands for a network."""
    return evidence.one if network == "one" else evidence.many


def best(network: Network, column: str, who: str, end: End) -> Judge:
    """Whether a discipline is the lowest or highest of the four."""

    def judge(evidence: Evidence) -> Judgement:
        return extreme(evidence.sample(column, case_of(evidence, network)), who, end)

    return judge


def ordered(network: Network, column: str, lower: Sequence[str], higher: Sequence[str]) -> Judge:
    """Whether each of `lower` lies below each of `higher`."""

    def judge(evidence: Evidence) -> Judgement:
        return apart(evidence.sample(column, case_of(evidence, network)), lower, higher)

    return judge


def same(network: Network, column: str, subjects: Sequence[str]) -> Judge:
    """Whether disciplines have about the same."""

    def judge(evidence: Evidence) -> Judgement:
        case = case_of(evidence, network)
        steps = {label(one): evidence.values(column, case, one) for one in subjects}
        return steady(Scale(steps, evidence.seen.measures[column].unit))

    return judge


def cells(claim: str, network: Network, quantity: str, columns: Sequence[str]) -> Rule:
    """The rule for printed numbers: all must agree under one reading of one column."""

    def rule(evidence: Evidence) -> Verdict:
        paper = (
            evidence.published.many_to_one if network == "one" else evidence.published.many_to_many
        )
        values = paper[quantity]
        found: dict[tuple[str, str], list[str]] = {}
        for column in columns:
            for case in READINGS[network]:
                ours = evidence.seen.intervals(column, case, list(values))
                found[column, case] = [name for name in values if near(values[name], ours[name])]
        chosen = max(found, key=lambda key: len(found[key]))
        unit = evidence.seen.measures[columns[0]].unit
        ours = evidence.seen.intervals(*chosen, list(values))
        ratios = ", ".join(
            f"{label(name)} {figure_text(values[name] / mean)}"
            for name in values
            if (mean := ours[name].mean)
        )
        title = evidence.seen.measures[chosen[0]].title.lower()
        others = "; ".join(
            f"{case}: {side_by_side(evidence.seen.intervals(columns[0], case, list(values)), unit)}"
            for case in READINGS[network]
        )
        agreeing = f" ({labels(found[chosen])})" if found[chosen] else ""
        reason = (
            f"{len(found[chosen])} of {len(values)} numbers{agreeing} lie {NEAR_WORDS} under the "
            f"reading that fits best, {title} with {chosen[1]}; published / ours there: "
            f"{ratios or 'undefined'}."
        )
        agrees = len(found[chosen]) == len(values)
        return Verdict(
            evidence.claim(claim), outcome_of(agrees), printed(values, unit), others, reason
        )

    return rule


def identical(evidence: Evidence) -> Judgement:
    """PFIFO and drop-tail, number by number."""
    columns = list(evidence.seen.measures)
    cases = [case for case in evidence.seen.cases if evidence.seen.has(case, "pfifo_fast")]
    equal = all(
        evidence.values(column, case, "pfifo_fast") == evidence.values(column, case, "droptail")
        for column in columns
        for case in cases
    )
    runs = sum(len(evidence.values("sent", case, "pfifo_fast")) for case in cases)
    reason = (
        f"In {runs} pairs of runs over {len(cases)} cases PFIFO and drop-tail "
        f"{'are' if equal else 'are not'} equal in each of {len(columns)} measures. No source "
        f"marks a priority, so all packets go to one band, and one band is drop-tail."
    )
    ours = evidence.sample("delay", evidence.one, PASSIVE).text()
    return Judgement(outcome_of(not equal), ours, reason)


def unfair(evidence: Evidence) -> Judgement:
    """Jain's index of drop-tail below that of RED and of CoDel."""
    return apart(evidence.sample("jain", evidence.one), ["droptail"], list(ACTIVE))


def long_queue(evidence: Evidence) -> Judgement:
    """Drop-tail's queue against RED's and CoDel's."""
    return apart(evidence.sample("queue", evidence.one), list(ACTIVE), ["droptail"])


def before_full(evidence: Evidence) -> Judgement:
    """RED's longest queue and its delay."""
    delay = apart(evidence.sample("delay", evidence.one), ["red"], ["droptail"])
    parts = {"longest queue": longest_queue(evidence), "delay": delay}
    found = all_of(parts)
    if found.outcome is Outcome.AGREES:
        reason = " ".join(one.reason for one in parts.values())
        return Judgement(found.outcome, found.ours, reason)
    return found


def longest_queue(evidence: Evidence) -> Judgement:
    """RED's longest queue: never as long as its limit.

    The packets of the device below are counted in. It fills first, so that RED's own part of a
    longest queue is what is above the device's.
    """
    longest = max(
        value
        for case in (evidence.one, evidence.many)
        for value in evidence.values("queue_most", case, "red")
        if value is not None
    )
    below = int(evidence.settings["device_queue"])
    limit = limit_packets()
    ours = f"{longest:g} packets"
    text = f"RED's longest queue in any run of the two networks is {longest:g} of {limit} packets"
    own = max(0.0, longest - below)
    if longest >= limit:
        text = (
            f"The longest queue of a link with RED in any run of the two networks is {longest:g} "
            f"packets, of which {below} may wait in the device and {own:g} of {limit} in RED"
        )
    full = own >= limit
    reason = f"{text}: it {'was' if full else 'never was'} full."
    return Judgement(outcome_of(not full), ours, reason)


def untuned(evidence: Evidence) -> Judgement:
    """CoDel, untouched, has the least delay of all, and what that costs."""
    found = extreme(evidence.sample("delay", evidence.one, DISCIPLINES), "codel", "lowest")
    goodput = evidence.sample("goodput", evidence.one).difference_text("codel", "red")
    return Judgement(found.outcome, found.ours, f"{found.reason} In goodput {goodput} kbit/s.")


JUDGES: dict[str, tuple[str, Judge]] = {
    "red-before-full": ("never full", before_full),
    "codel-untuned": ("needs no setting", untuned),
    "droptail-long-queue": ("long", long_queue),
    "one-throughput-codel": ("CoDel highest", best("one", "throughput", "codel", "highest")),
    "one-throughput-red": ("the same", same("one", "throughput", ACTIVE)),
    "one-throughput-worst": ("lowest", ordered("one", "throughput", PASSIVE, ACTIVE)),
    "one-droptail-unfair": ("unfair", unfair),
    "one-loss-order": ("far less", ordered("one", "loss", ACTIVE, PASSIVE)),
    "one-loss-codel": ("6 against 8 %", ordered("one", "loss", ["codel"], ["red"])),
    "one-delay-order": ("far less", ordered("one", "delay", ACTIVE, PASSIVE)),
    "one-delay-same": ("the same", same("one", "delay", ACTIVE)),
    "many-throughput-red": ("RED highest", best("many", "throughput", "red", "highest")),
    "many-throughput-codel": ("second", ordered("many", "throughput", PASSIVE, ["codel"])),
    "many-throughput-same": ("the same", same("many", "throughput", PASSIVE)),
    "many-loss-red": ("RED most", best("many", "loss", "red", "highest")),
    "many-loss-codel": ("CoDel least", best("many", "loss", "codel", "lowest")),
    "many-delay-order": ("far less", ordered("many", "delay", ACTIVE, PASSIVE)),
}
"""Claim -> what the paper has, and the judgement; it can be passed under any reading."""

RULES: dict[str, Rule] = {
    **{claim: judged(claim, text, judge) for claim, (text, judge) in JUDGES.items()},
    "pfifo-active": judged("pfifo-active", "active", identical),
    "pfifo-priorities": judged("pfifo-priorities", "priorities", identical),
    "one-throughput-cells": cells(
        "one-throughput-cells", "one", "throughput", ("throughput", "goodput")
    ),
    "one-loss-cells": cells("one-loss-cells", "one", "loss", ("loss",)),
    "many-loss-cells": cells("many-loss-cells", "many", "loss", ("loss",)),
}
