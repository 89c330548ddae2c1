"""Verdicts on RED against drop-tail, and on the conclusion."""

from __future__ import annotations

import itertools
import math

from sojourn.stats import Interval, student_interval
from sojourn.studies.claims import Outcome
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import MISREAD, RED, SIZES, SWEEPS, along, droptail_name
from sojourn.studies.ece6110.scenario import TCP
from sojourn.studies.ece6110.verdicts.common import Rule, at_loads, judged
from sojourn.studies.judging import Judgement, apart
from sojourn.studies.limits import Case, at_least, at_most, decided, every, undecided
from sojourn.studies.observed import ratios
from sojourn.studies.tables import figure_text, percent_text
from sojourn.studies.trends import ORDER_OF_MAGNITUDE, Scale, steady, tenfold

AT_TIMES = 0.05
"""What happens in less than one run of twenty does not happen "at times"."""


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
    """Every ratio over all loads, sizes and parameters, and what a slip would give."""
    fair = sorted({one.name for parameter in SWEEPS for one in along(parameter).values()})
    compared = list(itertools.product(LOAD_NAMES, map(droptail_name, SIZES), fair))
    cases = [not_tenfold(evidence, *one) for one in compared]
    found: dict[tuple[str, str, str], float] = {}
    for load, droptail, red in compared:
        top, below = (evidence.interval("tcp", load, one).mean for one in (droptail, red))
        if top and below:
            found[load, droptail, red] = top / below
    slips = "; ".join(
        f"{one.name} {figure_text(evidence.interval('tcp', LOAD_NAMES[2], one.name).mean)}"
        for one in MISREAD
    )
    worst, most = max(found.items(), key=lambda one: one[1], default=(None, None))
    where = "" if worst is None else f" ({worst[1]} against {worst[2]} at {worst[0]} load)"
    reason = (
        f"The largest ratio of drop-tail over RED in TCP's mean goodput, over all loads, sizes and "
        f"parameters, is {figure_text(most)}{where}; an order of magnitude begins at "
        f"{figure_text(ORDER_OF_MAGNITUDE)}. What slips would give at {LOAD_NAMES[2]} load, in "
        f"kbit/s a connection: {slips}. Lengths in bytes let no packet in at all, UDP's no more "
        f"than TCP's: no slip tried here gives what the report saw."
    )
    ours = f"at most {figure_text(most)} times"
    return decided(every(cases), ours, reason, cases, "zero")


def not_tenfold(evidence: Evidence, load: str, droptail: str, red: str) -> Case:
    """That TCP has no order of magnitude more behind a drop-tail queue than behind a RED queue."""
    top, below = (evidence.values("tcp", load, one) for one in (droptail, red))
    name = (
        f"TCP behind {droptail} less {figure_text(ORDER_OF_MAGNITUDE)} times that behind {red} at "
        f"{load} load"
    )
    return Case.less(name, top, below, lambda rest: at_most(rest, 0.0), times=ORDER_OF_MAGNITUDE)


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
    ours = f"UDP ahead of both in {percent_text(share.mean or 0.0)} of the single runs"
    limit = percent_text(AT_TIMES)
    reason = (
        f"{ours}, behind {BASE} and over all loads: one of three equals would be in a third of "
        f"them, by chance; from {limit} on it is so at times. On average it is ahead of both, "
        f"separated, behind {', '.join(where) or 'no queue at any load'}."
    )
    outcome = at_least(share, AT_TIMES)
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that share', share, limit)} {reason}"
    return Judgement(outcome, ours, reason)


def ahead(evidence: Evidence) -> Interval:
    """The share of single runs in which UDP has more than either TCP connection.

    A replica gives one value: its runs at the loads have the same random numbers.
    """
    runs = [
        zip(*(evidence.values(flow, load, BASE) for flow in ("udp", *TCP)), strict=True)
        for load in LOAD_NAMES
    ]
    wins = [
        sum(all((udp or 0.0) > (one or 0.0) for one in tcp) for udp, *tcp in replica)
        for replica in zip(*runs, strict=True)
    ]
    # Shares come in steps: that a few replicas agree does not make them certain.
    step = 1 / len(LOAD_NAMES)
    return student_interval([one * step for one in wins], least_deviation=step / math.sqrt(12))


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
