"""Verdicts on the loss: section 3.4, Fig. 15, and the conclusion."""

from __future__ import annotations

from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Everything
from sojourn.studies.four_aqms.measures import MEASURES, PUBLISHED
from sojourn.studies.four_aqms.verdicts.common import Rule, agrees, order, verdict
from sojourn.studies.judging import extreme, label, labels
from sojourn.studies.tables import figure_text, interval_text

TREND = MEASURES["loss_trend"]


def grows(everything: Everything) -> Verdict:
    """The slope of the loss rate over time must be above zero for all four."""
    sample = everything.chosen.sample("loss_trend")
    rising = [name for name, one in sample.intervals().items() if one.low and one.low > 0]
    steady = [name for name, one in sample.intervals().items() if one.contains(0)]
    parts = [
        f"its interval lies above zero for {labels(rising) or 'none'}",
        f"contains zero for {labels(steady) or 'none'}",
    ]
    reason = (
        f"Slope of the drops per second after the first 10 s: {' and '.join(parts)}. The next "
        f"sentences of the publication say that BLUE's falls."
    )
    return verdict(
        everything,
        "loss-grows",
        agrees(len(rising) == len(PUBLISHED)),
        "rises",
        sample.text(),
        reason,
    )


def blue_falls(everything: Everything) -> Verdict:
    """The slope of BLUE's loss rate must be below zero."""
    one = everything.chosen.intervals("loss_trend", ("blue",))["blue"]
    falls = one.high is not None and one.high < 0
    reason = (
        f"Slope of BLUE's drops per second after the first 10 s: {interval_text(one)} "
        f"{TREND.unit}; its 95 % interval "
        + ("lies below zero." if falls else "does not lie below zero.")
    )
    return verdict(
        everything,
        "loss-blue-falls",
        agrees(falls),
        "falls",
        f"{interval_text(one)} {TREND.unit}",
        reason,
    )


def why_sfq(everything: Everything) -> Verdict:
    """SFQ's loss and goodput, by class."""
    evidence = everything.chosen
    tcp = evidence.intervals("tcp_loss_percent", ("sfq",))["sfq"]
    cbr = evidence.intervals("cbr_loss_percent", ("sfq",))["sfq"]
    most = max(
        one.mean or 0.0 for one in evidence.intervals("tcp_loss_percent", PUBLISHED).values()
    )
    caused_by_tcp = bool(tcp.mean and cbr.mean and tcp.mean > cbr.mean)
    reason = (
        f"The loss is not TCP's, whose share grows: its flows lose {figure_text(tcp.mean)} % under "
        f"SFQ (the most under any of the four: {figure_text(most)} %). It is that of the CBR "
        f"flows, {figure_text(cbr.mean)} %, which send more than a fair share and do not slow down."
    )
    return verdict(
        everything,
        "loss-sfq-why",
        agrees(caused_by_tcp),
        "more throughput, more loss",
        f"TCP {interval_text(tcp)}, CBR {interval_text(cbr)} %",
        reason,
    )


def at_high_load(everything: Everything) -> Verdict:
    """SFQ's loss must be the highest at the highest load, and rise with the load."""
    samples = {load: one.sample("loss_percent") for load, one in everything.loads.items()}
    highest = list(samples)[-1]
    judged = extreme(samples[highest], "sfq", "highest")
    by_load = [samples[load].intervals()["sfq"].mean or 0.0 for load in samples]
    rises = by_load == sorted(by_load)
    course = ", ".join(
        f"{figure_text(value)} at {load}" for load, value in zip(samples, by_load, strict=True)
    )
    return verdict(
        everything,
        "loss-sfq-bandwidth",
        agrees(judged.outcome is Outcome.AGREES and rises),
        "highest at higher bandwidth",
        f"{label('sfq')} {course} % of each CBR sender",
        f"At {highest} of each CBR sender: {judged.reason}",
    )


RULES: dict[str, Rule] = {
    "loss-grows": grows,
    "loss-sfq": order("loss-sfq", "loss_percent", "sfq", "highest"),
    "loss-sfq-why": why_sfq,
    "loss-sfq-bandwidth": at_high_load,
    "loss-blue-falls": blue_falls,
    "loss-blue-udp": order("loss-blue-udp", "cbr_loss_percent", "blue", "lowest"),
    "loss-blue": order("loss-blue", "loss_percent", "blue", "lowest"),
}
