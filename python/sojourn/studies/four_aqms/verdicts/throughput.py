"""Verdicts on the throughput: sections 3.1.2 and 3.3.1, Figs. 3 to 5."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Everything
from sojourn.studies.four_aqms.measures import PUBLISHED
from sojourn.studies.four_aqms.scenario import BOTTLENECK_BPS
from sojourn.studies.four_aqms.verdicts.common import Rule, agrees, contradicts, order, verdict
from sojourn.studies.judging import label, side_by_side
from sojourn.studies.tables import figure_text, percent_text

MUCH = 0.1
"""A gain of a tenth would be "much"."""


def much_more(everything: Everything) -> Verdict:
    """SFQ's goodput against the best and the least of the others, and the capacity."""
    sample = everything.chosen.sample("goodput_mbps")
    means = {name: one.mean or 0.0 for name, one in sample.intervals().items()}
    least = min(means[name] for name in PUBLISHED if name != "sfq")
    gain = means["sfq"] / least - 1 if least else 0.0
    room = BOTTLENECK_BPS / 1e6 / least - 1 if least else 0.0
    reason = (
        f"{label('sfq')} delivers {percent_text(gain, 1)} more than the least of the others. The "
        f"bottleneck is busy all the time under each of them: with headers counted at nothing, "
        f"its {BOTTLENECK_BPS / 1e6:g} Mbit/s leave room for {percent_text(room, 1)} at most."
    )
    return verdict(
        everything,
        "throughput-sfq-much",
        agrees(gain >= MUCH),
        "much more",
        sample.text(),
        reason,
    )


def own_queue(everything: Everything) -> Verdict:
    """Whose packets SFQ drops: a flow that keeps to its share should lose none."""
    evidence = everything.chosen
    tcp = evidence.intervals("tcp_loss_percent", ("sfq",))["sfq"]
    cbr = evidence.intervals("cbr_loss_percent", ("sfq",))["sfq"]
    low = next(iter(everything.loads))
    small = everything.loads[low].intervals("cbr_loss_percent", ("sfq",))["sfq"]
    outcome = (
        Outcome.AGREES
        if cbr.mean and tcp.mean is not None and cbr.mean > tcp.mean and not small.mean
        else Outcome.DISAGREES
    )
    reason = (
        f"Whoever sends more than the link's turn allows loses: the CBR flows lose "
        f"{figure_text(cbr.mean)} % at {everything.settings.texts['cbr_rate']} each and "
        f"{figure_text(small.mean)} % at {low} each, below their share."
    )
    ours = side_by_side({"sfq": tcp}, "% of TCP's packets") + "; " + figure_text(cbr.mean)
    return verdict(
        everything,
        "sfq-own-queue",
        outcome,
        "only where the flow's own queue is full",
        f"{ours} % of CBR's",
        reason,
    )


RULES: dict[str, Rule] = {
    "throughput-definition": contradicts(
        "throughput-definition",
        "data received / end-to-end delay",
        "The same section gives it in bit/s, data over time. The delay of a packet is no "
        "measuring time: by this formula a short queue alone would multiply the throughput.",
    ),
    "throughput-sfq": order(
        "throughput-sfq",
        "goodput_mbps",
        "sfq",
        "highest",
        "The publication has graphs of RED, REM and BLUE only; SFQ's is not among them.",
    ),
    "throughput-sfq-much": much_more,
    "throughput-sfq-tcp": order(
        "throughput-sfq-tcp",
        "tcp_mbps",
        "sfq",
        "highest",
        "What TCP gains the CBR flows lose: the sum stays.",
    ),
    "sfq-own-queue": own_queue,
}
