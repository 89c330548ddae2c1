"""Verdicts on the throughput: sections 3.1.2 and 3.3.1, Figs. 3 to 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sojourn.stats.paired import FEWEST
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.measures import PUBLISHED
from sojourn.studies.four_aqms.scenario import BOTTLENECK_BPS, CBR_FLOWS, TCP_FLOWS, bits
from sojourn.studies.four_aqms.verdicts.common import Rule, contradicts, order, verdict
from sojourn.studies.judging import TOO_FEW, Sample, apart, label, side_by_side
from sojourn.studies.limits import Case, at_most, decided, every, not_so
from sojourn.studies.tables import figure_text, percent_text

MUCH = 0.1
"""A gain of a tenth would be "much"."""


def much_more(evidence: Evidence) -> Verdict:
    """SFQ's goodput against each of the others, and the capacity."""
    sample = evidence.chosen.sample("goodput_mbps")
    means = {name: one.mean or 0.0 for name, one in sample.intervals().items()}
    others = [name for name in PUBLISHED if name != "sfq"]
    least = min(means[name] for name in others)
    gain = means["sfq"] / least - 1 if least else 0.0
    room = BOTTLENECK_BPS / 1e6 / least - 1 if least else 0.0
    cases = [no_more(sample.values, name) for name in others]
    reason = (
        f"{label('sfq')} delivers {percent_text(gain, 1)} more than the least of the others. The "
        f"bottleneck is busy all the time under each of them: with headers counted at nothing, "
        f"its {BOTTLENECK_BPS / 1e6:g} Mbit/s leave room for {percent_text(room, 1)} at most."
    )
    found = decided(not_so(every(cases)), sample.text(), reason, cases, "zero")
    return found.on(evidence.chosen.published.claims["throughput-sfq-much"], "much more")


def no_more(values: Mapping[str, Sequence[float | None]], name: str) -> Case:
    """That SFQ delivers no tenth more than another."""
    title = f"{label('sfq')}'s goodput less {1 + MUCH:g} times that of {label(name)}"
    return Case.less(
        title, values["sfq"], values[name], lambda rest: at_most(rest, 0.0), times=1 + MUCH
    )


def own_queue(evidence: Evidence) -> Verdict:
    """Whose packets SFQ drops: a flow that keeps to its share should lose none.

    Above its share a CBR flow must lose more than TCP, below it none. Where the chosen rate is
    below, the highest of the loads stands for those above.
    """
    chosen = evidence.settings.texts["cbr_rate"]
    above = chosen if sends_too_much(chosen) else list(evidence.loads)[-1]
    reading = evidence.chosen if above == chosen else evidence.loads[above]
    low = next(iter(evidence.loads))
    classes = sfq_losses(reading)
    over = apart(classes, ["TCP"], ["CBR"])
    tcp, cbr = (classes.intervals()[name] for name in ("TCP", "CBR"))
    small = sfq_losses(evidence.loads[low]).intervals()["CBR"]
    lost = (
        f"the CBR flows lose {figure_text(cbr.mean)} % at {above} each and "
        f"{figure_text(small.mean)} % at {low} each"
    )
    outcome = over.outcome if small.mean == 0 else Outcome.DISAGREES
    if min(tcp.n, cbr.n, small.n) < FEWEST or not sends_too_much(above):
        outcome = Outcome.NOT_MEASURED
    if outcome is Outcome.NOT_MEASURED:
        missing = min(tcp.n, cbr.n, small.n) == 0
        reason = "Not measured: no packet of a class." if missing else TOO_FEW
        if not sends_too_much(above):
            reason = f"Not measured: no CBR flow sends more than its share, {lost}."
    elif outcome is Outcome.AGREES:
        reason = f"Whoever sends more than the link's turn allows loses: {lost}, below their share."
    elif small.mean:
        reason = f"Who keeps to the share loses as well: {lost}, below their share."
    else:
        reason = f"Who sends more than the share does not lose more: {lost}. {over.reason}"
    ours = side_by_side({"sfq": tcp}, "% of TCP's packets")
    return verdict(
        evidence,
        "sfq-own-queue",
        outcome,
        "only where the flow's own queue is full",
        f"{ours}; {figure_text(cbr.mean)} % of CBR's, which send {above} each",
        reason,
    )


def sfq_losses(reading: Reading) -> Sample:
    """The loss ratios of both classes under SFQ."""
    values = {
        title: reading.sample(f"{name}_loss_percent", ("sfq",)).values["sfq"]
        for name, title in (("tcp", "TCP"), ("cbr", "CBR"))
    }
    return Sample(values, "%")


def sends_too_much(rate: str) -> bool:
    """Whether a CBR sender of this rate sends more than its share of the bottleneck."""
    return bits(rate) > BOTTLENECK_BPS / (TCP_FLOWS + CBR_FLOWS)


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
