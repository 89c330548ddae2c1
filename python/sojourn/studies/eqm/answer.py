"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
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
        "On common arrivals a shorter queue is paid for in packets: throughput, utilisation and "
        "loss are one order, and no discipline passes drop-tail in it.",
    )
