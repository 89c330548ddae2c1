"""Verdicts on Fig. 2: goodput with drop-tail queues of varying size."""

from __future__ import annotations

from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import SIZES
from sojourn.studies.ece6110.scenario import LOADS, offered_kbps
from sojourn.studies.ece6110.verdicts.common import LARGE, SMALL, Rule, at_loads, judged
from sojourn.studies.judging import Judgement, apart
from sojourn.studies.tables import figure_text
from sojourn.studies.trends import does_not_grow, goes, outcome_of, steady


def tcp_over_udp(evidence: Evidence, load: str) -> Judgement:
    """Both TCP connections above UDP."""
    found = apart(evidence.sources(load, BASE), ["UDP"], ["TCP 1", "TCP 2"])
    offered = offered_kbps(LOADS[LOAD_NAMES.index(load)])
    lost = evidence.interval("udp_loss_percent", load, BASE).mean
    reason = (
        f"{found.reason} All three write the same {figure_text(offered)} kbit/s on average; TCP "
        f"cannot deliver more than is written, and UDP loses {figure_text(lost)} %."
    )
    return Judgement(found.outcome, found.ours, reason)


def grows(evidence: Evidence, load: str) -> Judgement:
    """TCP's goodput along the sizes."""
    return goes(evidence.sizes("tcp", load), "grows")


def stops(evidence: Evidence, load: str) -> Judgement:
    """The opposite, which must be shown too: that it does not grow throughout."""
    return does_not_grow(evidence.sizes("tcp", load))


def udp_constant(evidence: Evidence, load: str) -> Judgement:
    """UDP's goodput over the sizes."""
    return steady(evidence.sizes("udp", load))


def udp_does_not_react(evidence: Evidence) -> Judgement:
    """The packets that UDP sends, replica by replica, whatever the queue."""
    equal = all(
        evidence.values("udp_sent", load, subject) == evidence.values("udp_sent", load, BASE)
        for load in LOAD_NAMES
        for subject in evidence.main.subjects(load)
    )
    queues = len(evidence.main.subjects(LOAD_NAMES[0]))
    sent = evidence.loads("udp_sent", BASE).text()
    reason = (
        f"In each replica UDP sends {'the same' if equal else 'another'} number of packets behind "
        f"each of the {queues} queues, at each load, whatever is lost: {sent}."
    )
    return Judgement(outcome_of(equal), sent, reason)


RULES: dict[str, Rule] = {
    "tcp-over-udp": at_loads("tcp-over-udp", "TCP much higher", tcp_over_udp, SMALL),
    "tcp-grows-with-size": at_loads("tcp-grows-with-size", "grows", grows, SMALL),
    "tcp-stops-growing": at_loads("tcp-stops-growing", "does not grow throughout", stops, LARGE),
    "udp-constant": at_loads(
        "udp-constant", f"constant from {SIZES[0]} to {SIZES[-1]} B", udp_constant
    ),
    "udp-does-not-react": judged("udp-does-not-react", "sends on", udp_does_not_react),
}
