"""A verdict for each thing that the RFC says and a run can show."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from sojourn.stats import student_interval
from sojourn.stats.paired import FEWEST
from sojourn.studies import quantities
from sojourn.studies.claims import Outcome, Verdict
from sojourn.studies.judging import TOO_FEW, Judgement, Sample, apart, label, side_by_side
from sojourn.studies.observed import Values
from sojourn.studies.publication import read
from sojourn.studies.rfc7928.chapters.round_trips import ROUND_TRIPS_MS
from sojourn.studies.rfc7928.evidence import Evidence
from sojourn.studies.rfc7928.laboratory import PACKAGE, SHARES
from sojourn.studies.rfc7928.queues import BASE
from sojourn.studies.tables import figure_text, interval_text
from sojourn.studies.trends import Scale, Way, all_of, goes

Judge = Callable[[Evidence], Judgement]

WITHOUT_ECN, WITH_ECN = "rtt-fairness", "rtt-fairness-ecn"
"""The two scenarios of unequal round trips."""

RATIO = "ratio_two_one"
"""Goodput of category II over that of category I."""

UNFAIRNESS = "|log2(II / I)|"
"""How far the ratio of two goodputs is from one, in doublings."""


def less_delay(evidence: Evidence) -> Judgement:
    """One NewReno flow: every discipline against drop-tail."""
    seen = evidence.seen["newreno"]
    sample = seen.sample("delay", seen.cases[0], evidence.subjects, "one NewReno flow")
    return apart(sample, evidence.tested, [BASE])


def marks(evidence: Evidence) -> Judgement:
    """Those that have marked packets: ECN against none, over all round trips."""
    marked = {one: over_cases(evidence, WITH_ECN, ("marks",), one) for one in evidence.tested}
    marking = [name for name, values in marked.items() if any(values)]
    if not marking:
        ours = side_by_side({one: student_interval(x) for one, x in marked.items()}, "% marked")
        return Judgement(Outcome.NOT_MEASURED, ours, "None of the disciplines marks.")
    parts: dict[str, Judgement] = {}
    for subject in marking:
        measured: list[tuple[str, tuple[str, ...], str, Way]] = [
            ("sent again", ("retransmits_one", "retransmits_two"), "segments", "falls"),
            ("goodput", ("goodput",), "Mbit/s", "grows"),
        ]
        for title, columns, unit, way in measured:
            steps = {
                word: over_cases(evidence, name, columns, subject)
                for word, name in (("drops", WITHOUT_ECN), ("marks", WITH_ECN))
            }
            parts[f"{label(subject)}, {title}"] = goes(Scale(steps, unit), way)
    return all_of(parts)


def at_once(evidence: Evidence) -> Judgement:
    """Mild congestion: every discipline against drop-tail."""
    seen = evidence.seen["congestion"]
    sample = seen.sample("at_once", seen.cases[0], evidence.subjects, seen.cases[0])
    return apart(sample, evidence.tested, [BASE])


def larger_buffers(evidence: Evidence) -> Judgement:
    """Drop-tail and one NewReno flow over the room of the queue."""
    seen = evidence.seen["buffers"]
    steps = {case: seen.values("delay", case, BASE) for case in seen.cases}
    return goes(Scale(steps, "ms"), "grows")


def lbe_yields(evidence: Evidence) -> Judgement:
    """LEDBAT against NewReno behind drop-tail."""
    seen = evidence.seen["ledbat"]
    case = seen.cases[0]
    steps = {
        "LEDBAT": seen.values("goodput_ledbat", case, BASE),
        "NewReno": seen.values("goodput_bulk", case, BASE),
    }
    return goes(Scale(steps, "Mbit/s"), "grows")


def lbe_fateful(evidence: Evidence) -> Judgement:
    """LEDBAT's goodput over NewReno's: every discipline against drop-tail."""
    seen = evidence.seen["ledbat"]
    sample = seen.sample(
        "ratio_ledbat_bulk", seen.cases[0], evidence.subjects, "LEDBAT over NewReno"
    )
    return apart(sample, [BASE], evidence.tested)


def shorter_path(evidence: Evidence) -> Judgement:
    """Drop-tail: category II falls behind as its round trip grows, and is ahead while shorter."""
    seen = evidence.seen[WITHOUT_ECN]
    steps = {case: seen.values(RATIO, case, BASE) for case in seen.cases}
    scale = Scale(steps, "II / I")
    if told := untold(evidence, seen.cases, [BASE]):
        return Judgement(Outcome.NOT_MEASURED, scale.text(), told)
    fall = goes(scale, "falls")
    wrong = [
        case
        for case, side in sides(evidence).items()
        if side * math.log(student_interval(steps[case]).mean or math.nan) <= 0
    ]
    if not wrong:
        return fall
    reason = f"{fall.reason} Not so, on average, with a {', a '.join(wrong)}."
    return Judgement(Outcome.DISAGREES, fall.ours, reason)


def sides(evidence: Evidence) -> dict[str, int]:
    """Cases of unequal round trips: 1 where that of category II is the shorter, else -1."""
    one = quantities.seconds(evidence.settings["rtt"]) * 1000
    cases = zip(ROUND_TRIPS_MS, evidence.seen[WITHOUT_ECN].cases, strict=True)
    return {case: 1 if two < one else -1 for two, case in cases if two != one}


def unfairness(evidence: Evidence, subject: str) -> Values:
    """The mean of |log2 ratio| over the unequal round trips, replica by replica."""
    seen = evidence.seen[WITHOUT_ECN]
    columns = [seen.values(RATIO, case, subject) for case in sides(evidence)]
    return [
        sum(abs(math.log2(one)) for one in row if one) / len(row)
        if all(one is not None and one > 0 for one in row)
        else None
        for row in zip(*columns, strict=True)
    ]


def fairer_paths(evidence: Evidence) -> Judgement:
    """How unequally two flows share, over all unequal round trips."""
    values = {one: unfairness(evidence, one) for one in evidence.subjects}
    sample = Sample(values, UNFAIRNESS, "unequal round trips")
    if told := untold(evidence, list(sides(evidence)), evidence.subjects):
        return Judgement(Outcome.NOT_MEASURED, sample.text(), told)
    return apart(sample, evidence.tested, [BASE])


def untold(evidence: Evidence, cases: Sequence[str], subjects: Sequence[str]) -> str:
    """Why shares are not judged: in some cases a discipline told no flow to slow down."""
    silent = {
        one: [case for case in cases if evidence.silent(WITHOUT_ECN, case, one)] for one in subjects
    }
    found = [f"{label(one)} with a {', a '.join(at)}" for one, at in silent.items() if at]
    if not found:
        return ""
    measured = evidence.settings.texts["fairness_duration"]
    return (
        f"Not measured: some replicas drop nothing in the {measured} measured, so that their "
        f"goodputs are what the start has left ({'; '.join(found)}). More of fairness_settle and "
        "fairness_duration would tell."
    )


ABOUT = 2.0
"""A rate is "about" another up to this factor, either way: the RFC names none."""


def printed_levels() -> Mapping[str, float]:
    """The RFC's levels of congestion as drop rates in %."""
    return read(PACKAGE).document["levels"]


def near_level(name: str) -> tuple[float, float]:
    """The drop rates that are about that of a level, and no nearer by ratio to another's, in %."""
    levels = printed_levels()
    own = levels[name]
    between = {one: math.sqrt(own * one) for one in levels.values()}
    low = max((between[one] for one in between if one < own), default=0.0)
    high = min((between[one] for one in between if one > own), default=math.inf)
    return max(own / ABOUT, low), min(own * ABOUT, high)


def level(name: str) -> Judge:
    """Whether the drop rate of a level is about its own number: all of the interval, or none."""

    def judge(evidence: Evidence) -> Judgement:
        seen = evidence.seen["congestion"]
        case = next(one for one in seen.cases if one.startswith(name))
        found = seen.interval("loss", case, BASE)
        ours = f"{interval_text(found)} %"
        if found.mean is None or found.low is None or found.high is None or found.n < FEWEST:
            return Judgement(Outcome.NOT_MEASURED, ours, TOO_FEW)
        own = printed_levels()[name]
        low, high = near_level(name)
        ends = f"{figure_text(low, 3)} to {figure_text(high, 3)} %"
        if low <= found.low and found.high <= high:
            outcome, words = Outcome.AGREES, f"in the range of this level, {ends}"
        elif found.high < low or high < found.low:
            outcome, words = Outcome.DISAGREES, f"not in the range of this level, {ends}"
        else:
            outcome, words = Outcome.NOT_MEASURED, f"in part in the range of this level, {ends}"
        reason = (
            f"{case.split(', ')[1].capitalize()} lose {ours}, {figure_text(found.mean / own, 2)} "
            f"times {own:g} %: {words} (no more than {ABOUT:g} times off, and to no other level "
            "nearer)."
        )
        return Judgement(outcome, ours, reason)

    return judge


def factors(_evidence: Evidence) -> Judgement:
    """The arithmetic of the three factors."""
    exact = {name: math.sqrt(rate / 100 / 0.76) for name, rate in printed_levels().items()}
    wrong = [name for name, one in exact.items() if f"{one:.3f}" != f"{SHARES[name]:.3f}"]
    ours = ", ".join(f"{one:.4f} ({name})" for name, one in exact.items())
    text = "; ".join(
        f"{exact[name]:.4f} rounds to {exact[name]:.3f}, not {SHARES[name]:g}" for name in wrong
    )
    outcome = Outcome.CONTRADICTS_ITSELF if wrong else Outcome.AGREES
    reason = f"By the formula: {text}. The runs take the printed one." if wrong else "So they do."
    return Judgement(outcome, ours, reason)


def over_cases(evidence: Evidence, name: str, columns: Sequence[str], subject: str) -> Values:
    """The sum of columns, averaged over all cases of a scenario, replica by replica."""
    seen = evidence.seen[name]
    found = [seen.values(one, case, subject) for case in seen.cases for one in columns]
    return [
        sum(one for one in row if one is not None) / len(seen.cases)
        if all(one is not None for one in row)
        else None
        for row in zip(*found, strict=True)
    ]


JUDGES: dict[str, tuple[str, Judge]] = {
    "less-delay": ("shorter", less_delay),
    "marks": ("fewer, more", marks),
    "at-once": ("avoids", at_once),
    "larger-buffers": ("longer", larger_buffers),
    "lbe-yields": ("less", lbe_yields),
    "lbe-fateful": ("an interaction", lbe_fateful),
    "shorter-path": ("faster", shorter_path),
    "fairer-paths": ("may improve", fairer_paths),
    "mild": ("0.1 %", level("mild")),
    "medium": ("0.5 %", level("medium")),
    "heavy": ("1 %", level("heavy")),
    "factors": ("0.036, 0.081, 0.114", factors),
}
"""Claim -> what is printed, and who judges it."""


def verdicts(evidence: Evidence) -> tuple[Verdict, ...]:
    """One verdict per claim, in the order of the RFC. Raises KeyError where one has no judge."""
    claims = read(PACKAGE).claims
    return tuple(
        JUDGES[name][1](evidence).on(claim, JUDGES[name][0]) for name, claim in claims.items()
    )
