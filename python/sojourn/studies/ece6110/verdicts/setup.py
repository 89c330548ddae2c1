"""Verdicts on the introduction and the assumptions."""

from __future__ import annotations

from sojourn.stats import Interval
from sojourn.studies import quantities
from sojourn.studies.claims import Outcome
from sojourn.studies.ece6110 import scenario
from sojourn.studies.ece6110.evidence import BASE, LOAD_NAMES, Evidence
from sojourn.studies.ece6110.queues import RED
from sojourn.studies.ece6110.verdicts.common import LARGE, Rule, at_loads, judged
from sojourn.studies.judging import Judgement, apart
from sojourn.studies.limits import at_least, at_most, undecided
from sojourn.studies.tables import MISSING, figure_text, percent_beside, percent_text
from sojourn.studies.trends import Scale, all_of, goes, outcome_of

SCATTER = 0.05
"""One run is called representative when its standard deviation is within this share of the mean."""


def drops_of_links(evidence: Evidence) -> tuple[dict[str, float], dict[str, float]]:
    """Drops of all runs at the first link and at the second, by the rate of the first."""
    first: dict[str, float] = {}
    second: dict[str, float] = {}
    seen = evidence.parts["first-bottleneck"]
    for rate in scenario.FIRST_RATES:
        for queue in (BASE, RED.name):
            case = f"90 %, {rate}"
            first[rate] = first.get(rate, 0.0) + sum_of(seen.values("drops_1", case, queue))
            second[rate] = second.get(rate, 0.0) + sum_of(seen.values("drops", case, queue))
    return first, second


def two_bottlenecks(evidence: Evidence) -> Judgement:
    """Drops at both links, for every rate that the first may have had."""
    first, second = drops_of_links(evidence)
    both = [rate for rate in first if first[rate] and second[rate]]
    faster = [rate for rate in first if first[rate] and is_faster(rate)]
    ours = "; ".join(
        f"{rate}: {first[rate]:g} at the first, {second[rate]:g} at the second" for rate in first
    )
    slower = quantities.rate_text(scenario.SLOWER)
    reason = (
        f"Drops of all runs at 90 % load, by the rate of the first link (it is missing from the "
        f"text): {ours}. Links in a row have one bottleneck, the slowest: behind a link of "
        f"{slower} a second one never has a queue"
        + (
            f"; before it a faster one drops for its own buffer: {', '.join(faster)}."
            if faster
            else ", and before it a faster one drops nothing here."
        )
    )
    return Judgement(outcome_of(bool(both)), f"{ours} (packets dropped)", reason)


def is_faster(rate: str) -> bool:
    """Whether the first link, at this rate, is faster than the slowest of the path."""
    return quantities.bits_per_second(rate) > scenario.SLOWER


def sum_of(values: list[float | None]) -> float:
    """The sum of the defined values."""
    return sum(value for value in values if value is not None)


def latency(evidence: Evidence, load: str) -> Judgement:
    """UDP's delay along the sizes of the queue: UDP does not adapt to it."""
    return goes(evidence.sizes("udp_delay_ms", load), "grows")


def bursts(evidence: Evidence, load: str) -> Judgement:
    """The losses of UDP, which comes in bursts, along the sizes of the queue."""
    return goes(evidence.sizes("udp_loss_percent", load), "falls")


def less_loss(evidence: Evidence, load: str) -> Judgement:
    """RED's losses below drop-tail's."""
    return apart(evidence.red_and_droptail("loss_percent", load), ["red"], ["droptail"])


def more_even(evidence: Evidence, load: str) -> Judgement:
    """Jain's index under RED above drop-tail's."""
    return apart(evidence.red_and_droptail("jain", load), ["droptail"], ["red"])


def window_large_enough(evidence: Evidence) -> Judgement:
    """Assumption 1 against the text to Fig. 2."""
    scale = evidence.loads("in_flight_kb", BASE)
    reason = (
        "A window that is always large enough never holds the sender back; one that is filled most "
        "of the time does. The first is an assumption of the report, the second its explanation "
        "for what it saw."
    )
    return Judgement(Outcome.CONTRADICTS_ITSELF, f"mean window: {scale.text()}", reason)


def load_constant(evidence: Evidence) -> Judgement:
    """How much the packets that UDP sends, its own load, scatter between runs."""
    parts: dict[str, Judgement] = {}
    for load in LOAD_NAMES:
        scatter = evidence.scatter(scenario.STUDY, "udp_sent", load, BASE)
        text = f"one source's load scatters by {scatter_text(scatter)} from run to run"
        outcome = at_most(scatter, SCATTER)
        why = f"{text}."
        if outcome is Outcome.NOT_MEASURED:
            why = f"{undecided('the scatter', scatter, percent_text(SCATTER))} ({text})"
        parts[f"{load} load"] = Judgement(outcome, text, why)
    found = all_of(parts)
    extra = (
        ""
        if evidence.settings["periods"] == "constant"
        else " With random on and off periods the load is constant on average only: at any moment "
        "none to all three are on."
    )
    return Judgement(found.outcome, found.ours, found.reason + extra)


def scatter_text(scatter: Interval) -> str:
    """A scatter as per cent, with more digits where it is near the limit."""
    return MISSING if scatter.mean is None else percent_beside(scatter.mean, SCATTER)


def widest_scatter(evidence: Evidence, length: str) -> Interval:
    """The scatter of a TCP connection behind the queue, drop-tail or RED, where it is larger."""
    found = [
        evidence.scatter("duration", "tcp-1", f"90 %, {length}", queue)
        for queue in (BASE, RED.name)
    ]
    return max(found, key=lambda one: -1.0 if one.mean is None else one.mean)


def ten_seconds(evidence: Evidence) -> Judgement:
    """The scatter of one run of 10 s, and of longer ones."""
    steps = {length: widest_scatter(evidence, length) for length in scenario.DURATIONS}
    ours = ", ".join(f"{length}: {scatter_text(one)}" for length, one in steps.items())
    shortest = steps[scenario.DURATIONS[0]]
    outcome = at_most(shortest, SCATTER)
    reason = (
        f"Standard deviation of one TCP connection's goodput in one run at 90 % load: {ours}. Up "
        f"to {percent_text(SCATTER)} would count as representative."
    )
    if shortest.mean is not None:
        reason += (
            f" Two such runs differ by {percent_text(2**0.5 * shortest.mean)} (one standard "
            f"deviation) by chance alone."
        )
    if outcome is Outcome.NOT_MEASURED:
        why = undecided("the scatter", shortest, percent_text(SCATTER))
        reason = f"{why} {reason}"
    return Judgement(outcome, ours, reason)


def droptail_fills(evidence: Evidence) -> Judgement:
    """Queue and losses of drop-tail along the loads."""
    queue = goes(evidence.loads("queue", BASE), "grows")
    loss = goes(evidence.loads("loss_percent", BASE), "grows")
    return all_of({"queue": queue, "losses": loss})


def red_fills(evidence: Evidence) -> Judgement:
    """RED's queue along the loads."""
    return goes(evidence.loads("queue", RED.name), "grows")


def window_filled(evidence: Evidence) -> Judgement:
    """What an unlimited window changes at the queue of 64000 bytes."""
    seen = evidence.parts["receiver-window"]
    parts: dict[str, Judgement] = {}
    for load in LARGE:
        steps = {
            window: seen.values("tcp", f"{load}, {window}", BASE) for window in ("64000 B", "none")
        }
        window = seen.interval("in_flight_kb", f"{load}, 64000 B", BASE)
        change = goes(Scale(steps, "kbit/s"), "grows")
        outcomes = (at_least(window, 0.5 * 64), change.outcome)
        text = f"mean window {figure_text(window.mean)} of 64 kB"
        reason = f"{text}; without a limit: {change.reason[0].lower()}{change.reason[1:]}"
        outcome = next(
            (one for one in (Outcome.DISAGREES, Outcome.NOT_MEASURED) if one in outcomes),
            Outcome.AGREES,
        )
        if outcome is outcomes[0] is Outcome.NOT_MEASURED:
            reason = f"{undecided('the mean window', window, '32 kB')} {reason}"
        parts[f"{load} load"] = Judgement(outcome, f"{text}; {change.ours}", reason)
    return all_of(parts)


RULES: dict[str, Rule] = {
    "two-bottlenecks": judged("two-bottlenecks", "two", two_bottlenecks),
    "red-less-loss": at_loads("red-less-loss", "RED loses less", less_loss, LARGE),
    "red-even-flows": at_loads("red-even-flows", "RED more even", more_even, LARGE),
    "short-queues-latency": at_loads("short-queues-latency", "less", latency, LARGE),
    "short-queues-bursts": at_loads("short-queues-bursts", "bursts are lost", bursts, LARGE),
    "window-large-enough": judged("window-large-enough", "both", window_large_enough),
    "load-constant": judged("load-constant", "constant", load_constant),
    "ten-seconds": judged("ten-seconds", "enough", ten_seconds),
    "small-load-small-queue": judged("small-load-small-queue", "both fall", droptail_fills),
    "red-small-load-small-queue": judged("red-small-load-small-queue", "less", red_fills),
    "window-filled": judged("window-filled", "full most of the time", window_filled),
}
