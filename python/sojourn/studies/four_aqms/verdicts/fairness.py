"""Verdicts on who gets what: sections 1.1.2, 2 and 4."""

from __future__ import annotations

from sojourn.stats import paired_difference
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms import scenario
from sojourn.studies.four_aqms.evidence import Everything, Evidence
from sojourn.studies.four_aqms.verdicts.common import Rule, agrees, order, verdict
from sojourn.studies.tables import figure_text, interval_text, percent_text

FAIR = scenario.TCP_FLOWS / (scenario.TCP_FLOWS + scenario.CBR_FLOWS)
"""TCP's part of the link where all flows get the same."""

STARVED = 0.25
"""A class is starved below this share of its fair part."""


def tcp_part(evidence: Evidence, discipline: str) -> float:
    """TCP's part of all that is delivered."""
    tcp = evidence.intervals("tcp_mbps", (discipline,))[discipline].mean or 0.0
    all_of_it = evidence.intervals("goodput_mbps", (discipline,))[discipline].mean or 0.0
    return tcp / all_of_it if all_of_it else 0.0


def burst(everything: Everything) -> Verdict:
    """What is left for TCP under drop-tail at the highest load."""
    load = list(everything.loads)[-1]
    left = tcp_part(everything.loads[load], "droptail")
    full = 2 * scenario.bits(load) > scenario.BOTTLENECK_BPS
    reason = (
        f"Two CBR senders of {load} each leave the six TCP flows {percent_text(left, 1)} of what "
        f"is delivered; their fair part is {percent_text(FAIR)}."
    )
    return verdict(
        everything,
        "droptail-burst",
        agrees(full and left < STARVED * FAIR),
        "one sender can take it all",
        f"TCP's part {percent_text(left, 1)}",
        reason,
    )


def equal_losses(everything: Everything) -> Verdict:
    """Loss ratios of the two classes under drop-tail, paired."""
    tcp = everything.chosen.sample("tcp_loss_percent", ("droptail",)).values["droptail"]
    cbr = everything.chosen.sample("cbr_loss_percent", ("droptail",)).values["droptail"]
    gap = paired_difference(tcp, cbr)
    highest = list(everything.loads)[-1]
    high = everything.loads[highest]
    high_gap = paired_difference(
        high.sample("tcp_loss_percent", ("droptail",)).values["droptail"],
        high.sample("cbr_loss_percent", ("droptail",)).values["droptail"],
    )
    reason = (
        f"TCP's loss ratio less that of the CBR flows: {interval_text(gap)} points (paired), at "
        f"{highest} each {interval_text(high_gap)}. TCP comes in bursts, and a burst meets the "
        f"full queue more often than an even stream; it also answers a loss, which CBR does not."
    )
    same = gap.contains(0) or gap.mean == 0
    return verdict(
        everything,
        "droptail-equal",
        agrees(same),
        "all flows equally",
        f"difference {interval_text(gap)} points",
        reason,
    )


def passive_unfair(everything: Everything) -> Verdict:
    """SFQ under the same overload."""
    load = list(everything.loads)[-1]
    left = {name: tcp_part(everything.loads[load], name) for name in ("droptail", "sfq")}
    reason = (
        f"The publication counts SFQ as passive, and two paragraphs on says that it lets no "
        f"conversation drown out the rest. At {load} of each CBR sender TCP keeps "
        f"{percent_text(left['sfq'], 1)} of what is delivered under SFQ, "
        f"{percent_text(left['droptail'], 1)} under drop-tail."
    )
    return verdict(
        everything,
        "passive-unfair",
        Outcome.CONTRADICTS_ITSELF,
        "one user may take the whole buffer",
        f"TCP's part: SFQ {percent_text(left['sfq'], 1)}, drop-tail "
        f"{percent_text(left['droptail'], 1)}",
        reason,
    )


def longest_delay(everything: Everything) -> Verdict:
    """Drop-tail's delays against the time in which its full buffer drains."""
    bound = 8e3 * scenario.LIMIT_PACKETS * scenario.TCP_PACKET_BYTES / scenario.BOTTLENECK_BPS
    rows = everything.chosen.intervals("queueing_p99_ms", ("droptail",))["droptail"]
    holds = rows.mean is not None and rows.mean <= bound
    reason = (
        f"Fifty packets of {scenario.TCP_PACKET_BYTES} B drain in {bound:.0f} ms; the 99th "
        f"percentile of the queueing delay is {figure_text(rows.mean)} ms."
    )
    return verdict(
        everything,
        "droptail-delay",
        agrees(holds),
        "set by the depth",
        f"99th percentile {interval_text(rows)} ms",
        reason,
    )


RULES: dict[str, Rule] = {
    "passive-unfair": passive_unfair,
    "droptail-burst": burst,
    "droptail-equal": equal_losses,
    "droptail-delay": longest_delay,
    "sfq-fair": order("sfq-fair", "jain", "sfq", "highest"),
    "quoted-udp": order(
        "quoted-udp",
        "cbr_mbps",
        "sfq",
        "highest",
        "It does so only for those who keep to their share.",
    ),
}
