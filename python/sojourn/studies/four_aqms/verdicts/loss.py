"""Verdicts on the loss: section 3.4, Fig. 15, and the conclusion."""

from __future__ import annotations

from sojourn.stats.paired import FEWEST
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.four_aqms.evidence import Evidence, Reading
from sojourn.studies.four_aqms.measures import MEASURES, PUBLISHED, SETTLED_S
from sojourn.studies.four_aqms.verdicts.common import Rule, order, verdict
from sojourn.studies.four_aqms.verdicts.throughput import sends_too_much, sfq_losses
from sojourn.studies.judging import TOO_FEW, Sample, apart, extreme, label, labels
from sojourn.studies.limits import Case, decided, every, grows_by, undecided
from sojourn.studies.tables import figure_text, interval_text, percent_text
from sojourn.studies.trends import STEADY, Scale, Way, all_of, goes

TREND = MEASURES["loss_trend"]


def grows(evidence: Evidence) -> Verdict:
    """The slope of the loss rate over time must be above zero for all four."""
    sample = evidence.chosen.sample("loss_trend")
    if any(one.n < FEWEST for one in sample.intervals().values()):
        return no_trend(evidence, "loss-grows", "rises", sample)
    cases = [slope(evidence.chosen, name, "grows") for name in PUBLISHED]
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
    found = decided(every(cases), sample.text(), reason, cases, "zero")
    return found.on(evidence.chosen.published.claims["loss-grows"], "rises")


def slope(reading: Reading, name: str, way: Way) -> Case:
    """That a discipline's loss rate grows (falls).

    What is as good as level does not: a change of `STEADY` of the mean loss rate in 100 s.
    """
    rate = reading.sample("loss_rate", (name,)).intervals()[name].mean or 0.0
    sign = 1 if way == "grows" else -1
    values = [
        None if value is None else sign * value
        for value in reading.sample("loss_trend", (name,)).values[name]
    ]
    title = f"the slope of {label(name)}'s loss rate"
    return Case.of(title, values, lambda change: grows_by(change, STEADY * rate))


def no_trend(evidence: Evidence, claim: str, published: str, sample: Sample) -> Verdict:
    """That there are no slopes to judge by: the runs are too short or too few."""
    some = any(one.n for one in sample.intervals().values())
    reason = (
        TOO_FEW
        if some
        else f"Not measured: no run is long enough for a slope after the first {SETTLED_S:g} s."
    )
    return verdict(evidence, claim, Outcome.NOT_MEASURED, published, sample.text(), reason)


def blue_falls(evidence: Evidence) -> Verdict:
    """The slope of BLUE's loss rate must be below zero."""
    reading = evidence.chosen
    sample = reading.sample("loss_trend", ("blue",))
    one = sample.intervals()["blue"]
    if one.n < FEWEST:
        return no_trend(evidence, "loss-blue-falls", "falls", sample)
    rate = reading.sample("loss_rate", ("blue",)).intervals()["blue"].mean or 0.0
    outcome = slope(reading, "blue", "falls").at()
    reason = (
        f"Slope of BLUE's drops per second after the first 10 s: {interval_text(one)} "
        f"{TREND.unit}; "
        + (
            "its 95 % interval lies below zero."
            if outcome is Outcome.AGREES
            else f"up to {figure_text(STEADY * rate)} down, {percent_text(STEADY)} of the mean "
            f"rate, would be level."
        )
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = f"{undecided('the slope', one, 'zero, and steeper falls')} {reason}"
    return verdict(
        evidence,
        "loss-blue-falls",
        outcome,
        "falls",
        f"{interval_text(one)} {TREND.unit}",
        reason,
    )


def why_sfq(evidence: Evidence) -> Verdict:
    """SFQ's loss by class: it comes from the throughput where TCP, which gains, loses more."""
    reading = evidence.chosen
    classes = sfq_losses(reading)
    tcp, cbr = (classes.intervals()[name] for name in ("TCP", "CBR"))
    found = apart(classes, ["CBR"], ["TCP"])
    outcome = found.outcome if min(tcp.n, cbr.n) >= FEWEST else Outcome.NOT_MEASURED
    under = reading.intervals("tcp_loss_percent", PUBLISHED).values()
    most = max((one.mean for one in under if one.mean is not None), default=None)
    tcp_loses = (
        f"{figure_text(tcp.mean)} % under SFQ (the most under any of the four: "
        f"{figure_text(most)} %)"
    )
    too_much = sends_too_much(evidence.settings.texts["cbr_rate"])
    send = (
        "which send more than a fair share and do not slow down"
        if too_much
        else "which keep to their share"
    )
    if outcome is Outcome.NOT_MEASURED:
        reason = "Not measured: no packet of a class." if not min(tcp.n, cbr.n) else TOO_FEW
    elif outcome is Outcome.AGREES:
        reason = (
            f"The loss is TCP's, whose share grows: its flows lose {tcp_loses}, the CBR flows, "
            f"{send}, {figure_text(cbr.mean)} %."
        )
    elif apart(classes, ["TCP"], ["CBR"]).outcome is Outcome.AGREES:
        reason = (
            f"The loss is not TCP's, whose share grows: its flows lose {tcp_loses}. It is that of "
            f"the CBR flows, {figure_text(cbr.mean)} %, {send}."
        )
    else:
        reason = (
            f"The loss is no more TCP's, whose share grows, than that of the CBR flows: TCP loses "
            f"{tcp_loses}, the CBR flows {figure_text(cbr.mean)} %. {found.reason}"
        )
    return verdict(
        evidence,
        "loss-sfq-why",
        outcome,
        "more throughput, more loss",
        f"TCP {interval_text(tcp)}, CBR {interval_text(cbr)} %",
        reason,
    )


def at_high_load(evidence: Evidence) -> Verdict:
    """SFQ's loss must be the highest at the highest load, and rise with the load."""
    samples = {load: one.sample("loss_percent") for load, one in evidence.loads.items()}
    highest = list(samples)[-1]
    judged = extreme(samples[highest], "sfq", "highest")
    rises = goes(Scale({load: one.values["sfq"] for load, one in samples.items()}, "%"), "grows")
    parts = {f"At {highest} of each CBR sender": judged, "SFQ over the loads": rises}
    found = all_of(parts)
    course = ", ".join(
        f"{figure_text(one.intervals()['sfq'].mean)} at {load}" for load, one in samples.items()
    )
    return verdict(
        evidence,
        "loss-sfq-bandwidth",
        found.outcome,
        "highest at higher bandwidth",
        f"{label('sfq')} {course} % of each CBR sender",
        found.reason,
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
