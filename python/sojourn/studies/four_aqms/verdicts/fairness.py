"""Verdicts on who gets what: sections 1.1.2, 2 and 4."""

from __future__ import annotations

from sojourn.stats import Interval, paired_difference, student_interval
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms import scenario
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.verdicts.common import Rule, order, verdict
from sojourn.studies.judging import Judgement
from sojourn.studies.limits import at_most, undecided, within
from sojourn.studies.observed import ratios
from sojourn.studies.tables import figure_text, interval_text, percent_text
from sojourn.studies.trends import all_of

FAIR = scenario.TCP_FLOWS / (scenario.TCP_FLOWS + scenario.CBR_FLOWS)
"""TCP's part of the link where all flows get the same."""

STARVED = 0.25
"""A class is starved below this share of its fair part."""


EQUAL = 0.1
"""Loss ratios of two classes count as equal up to a difference of this share of the loss ratio of
all packets. A tenth is where `throughput` begins to call a gain much: a difference below it is not
what the publication denies, one above it is."""


def tcp_part(reading: Reading, discipline: str) -> float:
    """TCP's part of all that is delivered."""
    tcp = reading.intervals("tcp_mbps", (discipline,))[discipline].mean or 0.0
    all_of_it = reading.intervals("goodput_mbps", (discipline,))[discipline].mean or 0.0
    return tcp / all_of_it if all_of_it else 0.0


def burst(evidence: Evidence) -> Verdict:
    """What is left for TCP under drop-tail at the highest load."""
    load = list(evidence.loads)[-1]
    reading = evidence.loads[load]
    tcp, all_of_it = (
        list(reading.sample(column, ("droptail",)).values["droptail"])
        for column in ("tcp_mbps", "goodput_mbps")
    )
    left = student_interval(ratios(tcp, all_of_it))
    text = percent_text(tcp_part(reading, "droptail"), 1)
    limit = STARVED * FAIR
    outcome = at_most(left, limit)
    if scenario.CBR_FLOWS * scenario.bits(load) <= scenario.BOTTLENECK_BPS:
        outcome = Outcome.DISAGREES
    reason = (
        f"Two CBR senders of {load} each leave the six TCP flows {text} of what is delivered; "
        f"their fair part is {percent_text(FAIR)}, and below {percent_text(limit, 1)} they are "
        f"starved."
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that part', left, percent_text(limit, 1))} {reason}"
    return verdict(
        evidence,
        "droptail-burst",
        outcome,
        "one sender can take it all",
        f"TCP's part {text}",
        reason,
    )


def loss_gap(reading: Reading) -> Interval:
    """TCP's loss ratio less that of the CBR flows under drop-tail, paired."""
    tcp, cbr = (
        reading.sample(column, ("droptail",)).values["droptail"]
        for column in ("tcp_loss_percent", "cbr_loss_percent")
    )
    return paired_difference(tcp, cbr)


def equal_at(reading: Reading) -> Judgement:
    """Whether the loss ratios of the two classes are equal at one rate of CBR."""
    gap = loss_gap(reading)
    lost = reading.intervals("loss_percent", ("droptail",))["droptail"].mean
    ours = f"difference {interval_text(gap)} points"
    if not lost:
        return Judgement(Outcome.NOT_MEASURED, ours, "Not measured: drop-tail dropped nothing.")
    limit = EQUAL * lost
    outcome = within(gap, limit)
    limit_text = f"{figure_text(limit)} points"
    reason = (
        f"TCP's loss ratio less that of the CBR flows is {interval_text(gap)} points (paired); up "
        f"to {limit_text} up or down, {percent_text(EQUAL)} of the loss ratio of all packets, "
        f"counts as equal."
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('the difference', gap, limit_text)} {reason}"
    return Judgement(outcome, ours, reason)


def equal_losses(evidence: Evidence) -> Verdict:
    """Loss ratios of the two classes under drop-tail, at the chosen rate of CBR and the highest."""
    chosen = evidence.settings.texts["cbr_rate"]
    highest = list(evidence.loads)[-1]
    parts = {f"CBR at {chosen} each": equal_at(evidence.chosen)}
    if highest != chosen:
        parts[f"CBR at {highest} each"] = equal_at(evidence.loads[highest])
    found = all_of(parts)
    why = ""
    gaps = [loss_gap(one).mean or 0.0 for one in (evidence.chosen, evidence.loads[highest])]
    if found.outcome is Outcome.DISAGREES and min(gaps) > 0:
        why = (
            " TCP comes in bursts, and a burst meets the full queue more often than an even "
            "stream; it also answers a loss, which CBR does not."
        )
    return verdict(
        evidence,
        "droptail-equal",
        found.outcome,
        "all flows equally",
        found.ours,
        f"{found.reason}{why}",
    )


def passive_unfair(evidence: Evidence) -> Verdict:
    """SFQ under the same overload."""
    load = list(evidence.loads)[-1]
    left = {name: tcp_part(evidence.loads[load], name) for name in ("droptail", "sfq")}
    reason = (
        f"The publication counts SFQ as passive, and two paragraphs on says that it lets no "
        f"conversation drown out the rest. At {load} of each CBR sender TCP keeps "
        f"{percent_text(left['sfq'], 1)} of what is delivered under SFQ, "
        f"{percent_text(left['droptail'], 1)} under drop-tail."
    )
    return verdict(
        evidence,
        "passive-unfair",
        Outcome.CONTRADICTS_ITSELF,
        "one user may take the whole buffer",
        f"TCP's part: SFQ {percent_text(left['sfq'], 1)}, drop-tail "
        f"{percent_text(left['droptail'], 1)}",
        reason,
    )


def longest_delay(evidence: Evidence) -> Verdict:
    """Drop-tail's delays against the time in which its full buffer drains."""
    bound = 8e3 * scenario.LIMIT_PACKETS * scenario.TCP_PACKET_BYTES / scenario.BOTTLENECK_BPS
    rows = evidence.chosen.intervals("queueing_p99_ms", ("droptail",))["droptail"]
    outcome = at_most(rows, bound)
    reason = (
        f"Fifty packets of {scenario.TCP_PACKET_BYTES} B drain in {bound:.0f} ms; the 99th "
        f"percentile of the queueing delay is {figure_text(rows.mean)} ms."
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that percentile', rows, f'{bound:.0f} ms')} {reason}"
    return verdict(
        evidence,
        "droptail-delay",
        outcome,
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
