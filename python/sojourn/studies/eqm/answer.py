"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.eqm.checks import droptail_bound
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label
from sojourn.studies.tables import interval_text


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    above = evidence.readings["above"].title

    def four(column: str, unit: str) -> str:
        intervals = evidence.intervals(column, "above", PUBLISHED)
        return (
            ", ".join(f"{label(name)} {interval_text(one)}" for name, one in intervals.items())
            + f" {unit}"
        )

    below = evidence.intervals("loss", "below", PUBLISHED)
    quiet = all(one.mean == 0 for one in below.values())
    until = (
        f"Up to {evidence.ours.capacity_mbps:g} Mbit/s nobody loses a packet, and all disciplines "
        f"do the same."
        if quiet
        else f"Up to {evidence.ours.capacity_mbps:g} Mbit/s packets lost per run: "
        + ", ".join(f"{label(name)} {interval_text(one)}" for name, one in below.items())
        + "."
    )
    by_claim = {one.claim.id: one for one in verdicts}
    overall = by_claim["overall"]
    holds = overall.outcome is Outcome.AGREES
    return (
        f"That EQM is the best of the four {'holds' if holds else 'does not hold'} for EQM "
        f"(reconstruction) in our runs. Of {len(verdicts)} published claims {tally(verdicts)}.",
        f"{until} Over {above} the queueing delay is {four('queueing_ms', 'ms')}, the loss "
        f"{four('loss_percent', '% of the packets sent')}, the throughput "
        f"{four('throughput_mbps', 'Mbit/s')}.",
        *price(evidence),
    )


ONE_ORDER = {"throughput_mbps": "highest", "utilisation_percent": "highest", "loss": "lowest"}
"""Measures that are one order on common arrivals, from the best, as far as packets left in the
queues at the end do not turn it around."""


def price(evidence: Evidence) -> tuple[str, ...]:
    """What short queues cost on common arrivals, in a sentence or two; none without numbers."""
    orders = [_order(evidence, column, end) for column, end in ONE_ORDER.items()]
    told = []
    if orders[0] and all(order == orders[0] for order in orders):
        names = ", ".join(label(name) for name in orders[0])
        told.append(
            "throughput, utilisation and loss are one order (by their means, from the best: "
            f"{names})"
        )
    if droptail_bound(evidence.frame, evidence.settings).kept:
        told.append("nobody loses fewer packets than drop-tail")
    sentences = [f"On common arrivals {', and '.join(told)}."] if told else []
    shorter = evidence.ranks("queue", "above", "lower")
    fewer = evidence.ranks("loss", "above", "lower")
    pairs = [(one, other) for one in PUBLISHED for other in shorter[one].beats]
    paid = [pair for pair in pairs if pair[0] in fewer[pair[1]].beats]
    free = [pair for pair in pairs if pair[1] in fewer[pair[0]].beats]
    if free:
        one, other = free[0]
        sentences.append(
            f"A shorter queue need not be paid for in packets: {label(one)} keeps a shorter one "
            f"than {label(other)} and loses fewer."
        )
    elif paid and len(paid) == len(pairs):
        sentences.append("Where two queues separate, the shorter one loses more packets.")
    return (" ".join(sentences),) if sentences else ()


def _order(evidence: Evidence, column: str, end: str) -> list[str]:
    """The published disciplines by their means above the capacity; none if one has no mean."""
    means = {
        name: one.mean
        for name, one in evidence.intervals(column, "above", PUBLISHED).items()
        if one.mean is not None
    }
    order = sorted(means, key=lambda name: means[name], reverse=end == "highest")
    return order if len(order) == len(PUBLISHED) else []
