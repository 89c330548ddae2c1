"""Verdicts on Figs. 3 and 4: goodput with RED, over its parameters and over the loads."""

from __future__ import annotations

from collections.abc import Iterable

from sojourn.studies.claims import Outcome
from sojourn.studies.ece6110.evidence import Evidence
from sojourn.studies.ece6110.queues import RED, SWEEPS, Queue, along
from sojourn.studies.ece6110.verdicts.common import Rule, at_loads, judged
from sojourn.studies.ece6110.verdicts.droptail import udp_does_not_react
from sojourn.studies.judging import Judgement
from sojourn.studies.observed import ratios
from sojourn.studies.trends import goes, steady, tenfold

FIGURE_THREE = "w_q"
"""The parameter that Fig. 3 varies."""


def udp_constant(evidence: Evidence, load: str) -> Judgement:
    """UDP's goodput over the weights, which Fig. 3 shows; beside it over all parameters."""
    weights = evidence.over("udp", load, named(along(FIGURE_THREE).values()))
    every = [one for parameter in SWEEPS for one in along(parameter).values()]
    found = steady(weights)
    wider = steady(evidence.over("udp", load, named(every)))
    reason = f"Over w_q: {found.reason} Over all five parameters: {wider.reason}"
    return Judgement(found.outcome, found.ours, reason)


def named(queues: Iterable[Queue]) -> dict[str, Queue]:
    """Queues by name."""
    return {one.name: one for one in queues}


def no_bug(evidence: Evidence) -> Judgement:
    """A source that does not react has a constant goodput: no fault is needed."""
    reacts = udp_does_not_react(evidence)
    outcome = Outcome.DISAGREES if reacts.outcome is Outcome.AGREES else Outcome.AGREES
    reason = (
        "No fault is needed for it: UDP does not learn of the queue, so its goodput is what it "
        f"sends less its losses. {reacts.reason}"
    )
    return Judgement(outcome, reacts.ours, reason)


def udp_grows(evidence: Evidence) -> Judgement:
    """UDP along the loads."""
    return goes(evidence.loads("udp", RED.name), "grows")


def tcp_falls(evidence: Evidence) -> Judgement:
    """TCP along the loads."""
    return goes(evidence.loads("tcp", RED.name), "falls")


def udp_over_tcp(evidence: Evidence, load: str) -> Judgement:
    """UDP over one TCP connection."""
    udp, tcp = (evidence.values(column, load, RED.name) for column in ("udp", "tcp"))
    return tenfold(ratios(udp, tcp), "UDP over one TCP connection")


RULES: dict[str, Rule] = {
    "red-udp-constant": at_loads("red-udp-constant", "constant", udp_constant),
    "red-udp-bug": judged("red-udp-bug", "a bug", no_bug),
    "red-udp-grows-with-load": judged("red-udp-grows-with-load", "grows", udp_grows),
    "red-tcp-falls-with-load": judged("red-tcp-falls-with-load", "falls", tcp_falls),
    "red-udp-over-tcp": at_loads("red-udp-over-tcp", "about ten times", udp_over_tcp),
}
