"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import RED
from sojourn.studies.tables import interval_text, percent_text


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    holds = next(one for one in verdicts if one.claim.id == "tcp-tenth").outcome is Outcome.AGREES
    load = LOAD_NAMES[2]

    def both(column: str, unit: str) -> str:
        red, droptail = (
            interval_text(evidence.interval(column, load, one)) for one in (RED.name, BASE)
        )
        return f"{red} {unit} with RED and {droptail} {unit} with drop-tail of 64000 bytes"

    scatter = evidence.scatter("duration", "tcp-1", f"{load}, 10 s", BASE)
    return (
        f"That TCP behind RED has a tenth of what it has behind drop-tail "
        f"{'holds' if holds else 'does not hold'} in our runs. Of {len(verdicts)} published claims "
        f"{tally(verdicts)}.",
        f"At {load} load one TCP connection gets {both('tcp', 'kbit/s')}. What RED changes is the "
        f"delay: UDP's packets take {both('udp_delay_ms', 'ms')}.",
        "Only the link of 1 Mbit/s ever drops a packet: the two bottlenecks are one."
        + (
            f" One run of 10 s scatters by {percent_text(scatter)} in the goodput of one TCP "
            f"connection: it cannot carry the claims that the report rests on it."
            if scatter is not None
            else ""
        ),
    )
