"""The result of the study in words, from its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from sojourn.stats import separated
from sojourn.studies.claims import Outcome, Verdict, tally
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import RED
from sojourn.studies.ece6110.scenario import DURATIONS
from sojourn.studies.ece6110.verdicts import setup
from sojourn.studies.tables import interval_text


def answer(evidence: Evidence, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
    """Paragraphs that say what came out."""
    outcomes = {one.claim.id: one.outcome for one in verdicts}
    holds = outcomes["tcp-tenth"] is Outcome.AGREES
    load = LOAD_NAMES[2]

    def both(column: str, unit: str) -> str:
        red, droptail = (
            interval_text(evidence.interval(column, load, one)) for one in (RED.name, BASE)
        )
        return f"{red} {unit} with RED and {droptail} {unit} with drop-tail of 64000 bytes"

    return (
        f"That TCP behind RED has a tenth of what it has behind drop-tail "
        f"{'holds' if holds else 'does not hold'} in our runs. Of {len(verdicts)} published claims "
        f"{tally(verdicts)}.",
        f"At {load} load one TCP connection gets {both('tcp', 'kbit/s')}. "
        f"{delay(evidence, load)}: UDP's packets take {both('udp_delay_ms', 'ms')}.",
        bottlenecks(evidence) + scatter(evidence, outcomes["ten-seconds"]),
    )


def delay(evidence: Evidence, load: str) -> str:
    """What RED does to the delay."""
    columns = [evidence.values("udp_delay_ms", load, one) for one in (RED.name, BASE)]
    if separated(*columns):
        return "What RED changes is the delay"
    same = columns[0] == columns[1]
    return f"The delay {'is the same' if same else 'does not separate'} behind both"


def bottlenecks(evidence: Evidence) -> str:
    """Which links drop packets."""
    first, second = setup.drops_of_links(evidence)
    if not any(first.values()) and not any(second.values()):
        return "Neither of the links drops a packet."
    if any(first[rate] for rate in first if setup.is_faster(rate)):
        return "A link that is faster than 1 Mbit/s drops packets as well."
    if any(first[rate] and second[rate] for rate in first):
        return "Two links of 1 Mbit/s in a row both drop packets."
    return "Only the link of 1 Mbit/s ever drops a packet: the two bottlenecks are one."


def scatter(evidence: Evidence, enough: Outcome) -> str:
    """How much one run of 10 s tells."""
    found = setup.widest_scatter(evidence, DURATIONS[0])
    if found.mean is None:
        return ""
    text = (
        f" One run of {DURATIONS[0]} scatters by {setup.scatter_text(found)} in the goodput of one "
        f"TCP connection"
    )
    if enough is Outcome.DISAGREES:
        return f"{text}: it cannot carry the claims that the report rests on it."
    if enough is Outcome.AGREES:
        return f"{text}: it can carry the claims that the report rests on it."
    return f"{text}; whether it can carry the claims that the report rests on it is not told."
