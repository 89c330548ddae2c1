"""Verdicts on the congestion window: section 3.3.2, Figs. 6 to 9."""

from __future__ import annotations

from sojourn.stats import student_interval
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms import scenario
from sojourn.studies.four_aqms.evidence import Evidence
from sojourn.studies.four_aqms.measures import PUBLISHED
from sojourn.studies.four_aqms.verdicts.common import Rule, below, order, verdict
from sojourn.studies.judging import side_by_side
from sojourn.studies.limits import at_most, not_so, undecided
from sojourn.studies.tables import figure_text, interval_text

ROUND_TRIP_S = 2 * (0.003 + 0.020 + 0.003)
"""Propagation there and back."""


def constant(evidence: Evidence) -> Verdict:
    """A constant window needs a path that never drops a packet: this one must."""
    most = scenario.TCP_FLOWS * scenario.WINDOW_PACKETS
    packet_bits = 8 * scenario.TCP_PACKET_BYTES
    # On the way: at the bottleneck's rate, one in transmission, and the buffer.
    pipe = scenario.BOTTLENECK_BPS * ROUND_TRIP_S / packet_bits + 1 + scenario.LIMIT_PACKETS
    reading = evidence.chosen
    spread = reading.intervals("cwnd_sd", ("red", "rem"))
    reason = (
        f"A window that loses nothing grows until it reaches its bound of "
        f"{scenario.WINDOW_PACKETS}: {most} packets of six senders. The path with a full buffer "
        f"holds {pipe:.0f}. So packets are lost before, and every loss halves a window or sets it "
        f"to one. Only its mean over time can be steady."
    )
    return verdict(
        evidence,
        "window-constant",
        Outcome.IMPOSSIBLE,
        "constant",
        "standard deviation " + side_by_side(spread, "packets"),
        reason,
    )


def no_drops(evidence: Evidence) -> Verdict:
    """SFQ's drops, all of them for lack of room."""
    loss = evidence.chosen.intervals("loss_percent", ("sfq",))["sfq"]
    reason = (
        f"Section 3.4 finds SFQ's loss the highest of all. SFQ has no other drops than those for "
        f"lack of room; ours are {interval_text(loss)} % of the arrivals."
    )
    return verdict(
        evidence,
        "window-sfq-no-drops",
        Outcome.CONTRADICTS_ITSELF,
        "no drops for lack of room",
        f"{interval_text(loss)} % lost",
        reason,
    )


def acknowledgements(evidence: Evidence) -> Verdict:
    """Drops on the way back: some in each run but for chance, or none in any."""
    sample = evidence.chosen.sample("ack_drops")
    runs = zip(*(sample.values[name] for name in PUBLISHED), strict=True)
    lost = student_interval([sum(value or 0.0 for value in run) for run in runs])
    outcome = not_so(at_most(lost, 0.0))
    reason = (
        f"On the way back are acknowledgements of 40 B alone, at most one for each packet of "
        f"{scenario.TCP_PACKET_BYTES} B on the way there: no queue forms. Mean number lost per "
        f"run: {figure_text(lost.mean)}."
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('that number', lost, 'zero')} {reason}"
    return verdict(
        evidence, "ack-drops", outcome, "data or acknowledgements", sample.text(), reason
    )


RULES: dict[str, Rule] = {
    "window-sfq-fluctuates": order("window-sfq-fluctuates", "cwnd_sd", "sfq", "highest"),
    "window-sfq-no-drops": no_drops,
    "window-blue-largest": order("window-blue-largest", "cwnd", "blue", "highest"),
    "window-constant": constant,
    "window-least-variance": below(
        "window-least-variance", "cwnd_sd", ("red", "rem"), ("blue", "sfq")
    ),
    "ack-drops": acknowledgements,
}
