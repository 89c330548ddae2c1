"""Verdicts on RED against drop-tail, and on the conclusion."""

from __future__ import annotations

from sojourn.studies.claims import Outcome
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import MISREAD, RED, SIZES, SWEEPS, along, droptail_name
from sojourn.studies.ece6110.scenario import TCP
from sojourn.studies.ece6110.verdicts.common import Rule, at_loads, judged
from sojourn.studies.judging import Judgement, apart
from sojourn.studies.observed import ratios
from sojourn.studies.tables import figure_text, percent_text
from sojourn.studies.trends import ORDER_OF_MAGNITUDE, Scale, outcome_of, steady, tenfold


def udp_same(evidence: Evidence, load: str) -> Judgement:
    """UDP behind RED and behind every drop-tail queue."""
    subjects = [RED.name, *(droptail_name(size) for size in SIZES)]
    steps = {one: evidence.values("udp", load, one) for one in subjects}
    return steady(Scale(steps, "kbit/s"))


def tcp_tenth(evidence: Evidence, load: str) -> Judgement:
    """TCP behind drop-tail over TCP behind RED."""
    droptail, red = (evidence.values("tcp", load, one) for one in (BASE, RED.name))
    return tenfold(ratios(droptail, red), f"TCP behind {BASE} over TCP behind RED")


def never_this_large(evidence: Evidence) -> Judgement:
    """The largest ratio over all loads, sizes and parameters, and what a slip would give."""
    fair = {one.name for parameter in SWEEPS for one in along(parameter).values()}
    found: dict[tuple[str, str, str], float] = {}
    for load in LOAD_NAMES:
        for red in sorted(fair):
            for size in SIZES:
                top = evidence.interval("tcp", load, droptail_name(size)).mean
                below = evidence.interval("tcp", load, red).mean
                if top and below:
                    found[load, droptail_name(size), red] = top / below
    worst = max(found, key=found.__getitem__)
    slips = "; ".join(
        f"{one.name} {figure_text(evidence.interval('tcp', LOAD_NAMES[2], one.name).mean)}"
        for one in MISREAD
    )
    reason = (
        f"The largest ratio of drop-tail over RED in TCP's mean goodput, over all loads, sizes and "
        f"parameters, is {figure_text(found[worst])} ({worst[1]} against {worst[2]} at {worst[0]} "
        f"load). What slips would give at {LOAD_NAMES[2]} load, in kbit/s a connection: {slips}. "
        f"Lengths in bytes let no packet in at all, UDP's no more than TCP's: no slip tried here "
        f"gives what the report saw."
    )
    ours = f"at most {figure_text(found[worst])} times"
    return Judgement(outcome_of(found[worst] < ORDER_OF_MAGNITUDE), ours, reason)


def udp_at_times(evidence: Evidence) -> Judgement:
    """Single runs in which UDP has more than either TCP connection, and where it has on average."""
    share = ahead(evidence)
    small = droptail_name(SIZES[0])
    found = {
        f"{queue} at {load} load": apart(evidence.sources(load, queue), ["TCP 1", "TCP 2"], ["UDP"])
        for queue in (small, BASE, RED.name)
        for load in LOAD_NAMES
    }
    where = [name for name, one in found.items() if one.outcome is Outcome.AGREES]
    ours = f"UDP ahead of both in {percent_text(share)} of the single runs"
    reason = (
        f"{ours}, behind {BASE} and over all loads: one of three equals would be in a third of "
        f"them, by chance. On average it is ahead of both, separated, behind "
        f"{', '.join(where) or 'no queue at any load'}."
    )
    return Judgement(outcome_of(share > 0), ours, reason)


def ahead(evidence: Evidence) -> float:
    """Share of single runs in which UDP has more than either TCP connection."""
    wins = [
        all((evidence.values(tcp, load, BASE)[run] or 0.0) < (udp or 0.0) for tcp in TCP)
        for load in LOAD_NAMES
        for run, udp in enumerate(evidence.values("udp", load, BASE))
    ]
    return sum(wins) / len(wins)


def overhead(evidence: Evidence) -> Judgement:
    """At the smallest load nothing is lost: what is left of a difference is not congestion."""
    load = LOAD_NAMES[0]
    found = apart(evidence.sources(load, BASE), ["TCP 1", "TCP 2"], ["UDP"])
    reason = (
        f"The rate of a source counts what it writes, and goodput counts what arrives of it: "
        f"headers are in neither. Where nothing is lost, TCP delivers what UDP does: "
        f"{found.reason} At higher loads UDP is ahead because TCP slows down at losses."
    )
    return Judgement(found.outcome, found.ours, reason)


RULES: dict[str, Rule] = {
    "udp-same": at_loads("udp-same", "the same", udp_same),
    "tcp-tenth": at_loads("tcp-tenth", "about a tenth", tcp_tenth),
    "never-this-large": judged("never-this-large", "never about ten times", never_this_large),
    "udp-at-times": judged("udp-at-times", "at times", udp_at_times),
    "overhead": judged("overhead", "TCP has more overhead", overhead),
}
