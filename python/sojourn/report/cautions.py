"""What to know before one trusts the results of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sojourn._core import ENGINE
from sojourn.comparing import per_replica
from sojourn.experiments.cases import answers, cases
from sojourn.experiments.precision import USUAL
from sojourn.plots.choice import link_of
from sojourn.plots.looks import looks
from sojourn.plots.ranks import usual
from sojourn.report.drift import drifts, is_checked
from sojourn.report.words import name_of, number
from sojourn.results import Results
from sojourn.stats.intervals import student_interval

WIDE = 0.1
"""Half-width of an interval, as a share of its mean, from which on it is called wide."""


@dataclass(frozen=True)
class Caution:
    """``warning``: look before you trust the numbers; ``note``: good to know."""

    kind: Literal["warning", "note"]
    text: str


def cautions(results: Results, manifest: Mapping[str, Any] | None) -> list[Caution]:
    """All of them, warnings first."""
    found = [Caution("warning", text) for text in _warnings(results, manifest)]
    notes = [*_notes(results, manifest)]
    return found + [Caution("note", text) for text in notes]


def _warnings(results: Results, manifest: Mapping[str, Any] | None) -> list[str]:
    # The folder's copy of the scenario would say the same again, under another name.
    said = list(manifest["warnings"] if manifest else results.scenario.warnings)
    said += [one for one in results.warnings if one not in said]
    if not results.complete:
        said.append("The experiment is not complete: the numbers are of the finished runs alone.")
    fewest = results.runs.group_by("point").len()["len"].min()
    if results.alike:
        pass  # Said already, and no number of replicas would help.
    elif fewest == 1:
        said.append("A point has one replica only: its values have no interval.")
    elif isinstance(fewest, int) and fewest < 5:
        said.append(f"A point has {fewest} replicas only: its intervals are wide and unsure.")
    if results.runs["warmup_s"].min() == 0:
        said.append(
            "Measurements start at once: the start-up is in all means. "
            'warmup = "auto" finds its end.'
        )
    return said + _drifting(results)


def _drifting(results: Results) -> list[str]:
    """Points whose queue is not the same in both halves of the window."""
    link = link_of(results, None)
    said = []
    for drift in drifts(results, link):
        name = point_name(results, drift.point)
        change = (
            f"mean queue at {link}: {number(drift.first_packets)} packets in the first half, "
            f"{number(drift.second_packets)} in the second"
        )
        if drift.without_end:
            said.append(f"{name} is unstable: its queue grows as long as it runs ({change}).")
        else:
            advice = "run longer, or measure later"
            said.append(f"{name} depends on the warm-up ({change}): {advice}.")
    return said


def _notes(results: Results, manifest: Mapping[str, Any] | None) -> list[str]:
    said = []
    for quantity in usual(results):
        values = per_replica(results, quantity)
        intervals = {point: student_interval(values[point]) for point in values}
        wide = [
            point
            for point, one in intervals.items()
            if one.mean and one.half_width is not None and one.half_width > WIDE * abs(one.mean)
        ]
        if wide:
            count = f"{len(wide)} of {len(values)} points" if len(values) > 1 else "the only point"
            said.append(
                f"The interval of the {name_of(quantity)} reaches further than {100 * WIDE:g} % "
                f"from the mean at {count}; --precision 5%{_asked_of(quantity)} adds replicas "
                "until it does not."
            )
    if results.time_series.is_empty():
        said.append(
            "Whether results depend on the warm-up was not checked: no time series was recorded. "
            "--set series='100 ms' records them."
        )
    elif not is_checked(results, link_of(results, None)):
        said.append(
            "Whether results depend on the warm-up was not checked: that takes three replicas, and "
            "a value of the time series in each quarter of the window."
        )
    if any(name.partition(", ")[0] == "eqm" for name in answers(results.scenario)):
        said.append("EQM's algorithm is not public: what ran is a reconstruction.")
    if manifest and manifest["engine"] != ENGINE:
        said.append(
            f"The runs were made by another engine ({manifest['engine'][:8]}) than the one "
            f"installed ({ENGINE[:8]}): running them again may give other numbers."
        )
    said.append(
        f"The books of all {len(results.runs):,} runs balance: packets and bytes of each queue, "
        "link and flow, and Little's law in integers. A run that breaks one has no numbers."
    )
    return said


def _asked_of(quantity: str) -> str:
    """What has to be set for a precision to be asked of ``quantity``."""
    usual_ones = USUAL.split(", ")
    return "" if quantity in usual_ones else f" --set precision_of={quantity}"


def point_name(results: Results, point: int) -> str:
    """A point in words: its discipline, and its case."""
    name = looks(answers(results.scenario))[answers(results.scenario)[point]].label
    case = next(one for one in cases(results.scenario) if point in one.points)
    return f"{name or 'The only point'} at {case.title}" if case.title else name or "The only point"
