"""Verdicts on RED against ARED: Figs. 12 to 15."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Verdict
from sojourn.studies.judging import NEAR_WORDS, Judgement, apart, label, near
from sojourn.studies.large_network.disciplines import ADAPTIVE
from sojourn.studies.large_network.evidence import ONE, Evidence
from sojourn.studies.large_network.scenario import LIMITS, SENDERS, SWEEP_SENDERS, limit_name
from sojourn.studies.large_network.verdicts.common import Rule, judged
from sojourn.studies.observed import Values
from sojourn.studies.tables import figure_text, interval_text
from sojourn.studies.trends import Scale, Way, all_of, goes, outcome_of


def variation(evidence: Evidence) -> Judgement:
    """How much the queue at the shared link varies."""
    return apart(evidence.varying.sample("queue_sd", ONE, ADAPTIVE), ["ared"], ["red"])


def utilisation(evidence: Evidence) -> Judgement:
    """How busy the shared link is, in the first network."""
    return apart(evidence.sample("utilisation", evidence.one, ADAPTIVE), ["red"], ["ared"])


def queueing(evidence: Evidence) -> Judgement:
    """The delay in the first network; what is not queueing is the same for both."""
    return apart(evidence.sample("delay", evidence.one, ADAPTIVE), ["ared"], ["red"])


def slower(evidence: Evidence) -> Judgement:
    """How far average and queue move in 50 ms."""
    parts: dict[str, Judgement] = {}
    for name in ADAPTIVE:
        steps: dict[str, Values] = {
            "average": evidence.varying.values("average_step", ONE, name),
            "queue": evidence.varying.values("queue_step", ONE, name),
        }
        parts[label(name)] = goes(Scale(steps, "packets in 50 ms"), "grows")
    return all_of(parts)


def along(column: str, way: Way, evidence: Evidence) -> Judgement:
    """RED and ARED along the limits."""
    return all_of({label(name): goes(evidence.over_limits(column, name), way) for name in ADAPTIVE})


def at_limits(
    column: str, lower: str, higher: str, evidence: Evidence, limits: Sequence[int] = LIMITS
) -> Judgement:
    """Whether one discipline lies below another at each limit."""
    parts: dict[str, Judgement] = {}
    for limit in limits:
        case = limit_name(limit, SENDERS[0])
        parts[f"{limit} packets"] = apart(
            evidence.sample(column, case, [lower, higher]), [lower], [higher]
        )
    return all_of(parts)


def low_delay(evidence: Evidence) -> Judgement:
    """RED and ARED against drop-tail with the same room."""
    parts: dict[str, Judgement] = {}
    for limit in LIMITS:
        case = limit_name(limit, SENDERS[0])
        sample = evidence.sample("delay", case, [*ADAPTIVE, "droptail"])
        parts[f"{limit} packets"] = apart(sample, list(ADAPTIVE), ["droptail"])
    found = all_of(parts)
    reason = f"Low against drop-tail with the same room: {found.reason}"
    return Judgement(found.outcome, found.ours, reason)


def cells(claim: str, quantity: str, columns: Sequence[str]) -> Rule:
    """The rule for numbers printed for the two ends of the limits."""

    def rule(evidence: Evidence) -> Verdict:
        numbers = evidence.published.limits[quantity]
        spots = [(name, limit) for name, at in numbers.items() for limit in at]
        unit = evidence.seen.measures[columns[0]].unit
        found: dict[tuple[str, int], list[tuple[str, int]]] = {}
        for column in columns:
            for count in SWEEP_SENDERS:
                found[column, count] = [
                    (name, limit)
                    for name, limit in spots
                    if near(
                        numbers[name][limit],
                        evidence.interval(column, limit_name(limit, count), name),
                    )
                ]
        column, count = max(found, key=lambda key: len(found[key]))
        ours = "; ".join(
            f"{label(name)} at {limit}: "
            f"{interval_text(evidence.interval(column, limit_name(limit, count), name))} {unit}"
            for name, limit in spots
        )
        text = ", ".join(
            f"{label(name)} at {limit} {figure_text(numbers[name][limit])}" for name, limit in spots
        )
        reason = (
            f"{len(found[column, count])} of {len(spots)} numbers lie {NEAR_WORDS}, under the "
            f"reading that fits best ({evidence.seen.measures[column].title.lower()}, {count} "
            f"senders). Ours: {ours}."
        )
        agrees = len(found[column, count]) == len(spots)
        return Verdict(evidence.claim(claim), outcome_of(agrees), f"{text} {unit}", ours, reason)

    return rule


def better(evidence: Evidence) -> Judgement:
    """Throughput, loss and delay of ARED against RED in the first network."""
    sample = {
        column: evidence.sample(column, evidence.one, ADAPTIVE)
        for column in ("throughput", "loss", "delay")
    }
    return all_of(
        {
            "throughput": apart(sample["throughput"], ["red"], ["ared"]),
            "loss": apart(sample["loss"], ["ared"], ["red"]),
            "delay": apart(sample["delay"], ["ared"], ["red"]),
        }
    )


RULES: dict[str, Rule] = {
    "ared-variation": judged("ared-variation", "ARED less", variation),
    "ared-utilisation": judged("ared-utilisation", "ARED better", utilisation),
    "ared-queueing": judged("ared-queueing", "ARED less", queueing),
    "average-slower": judged("average-slower", "slower", slower),
    "limits-throughput-grows": judged(
        "limits-throughput-grows", "grows", lambda found: along("throughput", "grows", found)
    ),
    "limits-throughput-cells": cells(
        "limits-throughput-cells", "throughput", ("throughput", "goodput")
    ),
    "limits-throughput-ared": judged(
        "limits-throughput-ared",
        "ARED more",
        lambda found: at_limits("throughput", "red", "ared", found),
    ),
    "limits-loss-falls": judged(
        "limits-loss-falls", "falls", lambda found: along("loss", "falls", found)
    ),
    "limits-loss-cells": cells("limits-loss-cells", "loss", ("loss",)),
    "limits-loss-ared": judged(
        "limits-loss-ared",
        "ARED 16, RED 18 %",
        lambda found: at_limits("loss", "ared", "red", found, LIMITS[:1]),
    ),
    "limits-delay-ared": judged(
        "limits-delay-ared", "ARED less", lambda found: at_limits("delay", "ared", "red", found)
    ),
    "limits-delay-low": judged("limits-delay-low", "low", low_delay),
    "ared-better": judged("ared-better", "better", better),
}
