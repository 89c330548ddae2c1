"""EQM (reconstruction) against the EQM row of Table III, relative to the other rows.

Absolute numbers of Table III cannot be right (see the verdicts), so what is compared are ratios:
EQM over RED, REM and SFQ in each of the five parameters. The residual of a ratio is the logarithm
of ours over theirs, the objective the sum of their squares. Where no discipline on common
arrivals can have the printed ratio, the target is named infeasible and its residual is reported
all the same.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from sojourn.files.toml_text import toml_text
from sojourn.studies.base import Frames, Section
from sojourn.studies.eqm import grades, measures, scenario
from sojourn.studies.eqm.evidence import Evidence
from sojourn.studies.eqm.labels import PUBLISHED, label
from sojourn.studies.eqm.measures import MEASURES, RANKED
from sojourn.studies.knobs import Settings
from sojourn.studies.tables import MISSING, Table, figure_text, percent_text

GRID: dict[str, tuple[Any, ...]] = {
    "utilization": (0.9, 0.95, 1.0),
    "averaging": ("20 ms", "100 ms", "500 ms"),
    "q_ref": ("5 packets", "10 packets", "15 packets", "20 packets", "30 packets"),
    "tau": ("20 ms", "100 ms", "500 ms"),
}
"""The parameters tried, in every combination."""

DEFAULTS = {"utilization": 1.0, "averaging": "100 ms", "q_ref": "15 packets", "tau": "100 ms"}
"""The defaults of the discipline, as the grid writes them for a limit of 50 packets."""

RUNS = {"duration": "30 s", "replicas": "10", "loads": "12"}
"""The runs of a calibration: it takes one for each combination, so they are small."""

KEPT = 0.05
"""The defaults are kept if no candidate is better by more than this share: chance alone does as
much."""

OTHERS = tuple(name for name in PUBLISHED if name != "eqm")

LITTLE_SLACK = 0.15
"""Queue ratio and delay ratio count as alike within this share: both are averages over loads with
somewhat different throughputs."""


@dataclass(frozen=True)
class Residual:
    """One target: EQM over `other` in one parameter.

    `ours` is None where the ratio is undefined (the other has zero); `residual` is
    ln(ours / published), None with it. `infeasible` says why no run can meet it, or is empty.
    """

    column: str
    other: str
    published: float
    ours: float | None
    infeasible: str

    @property
    def residual(self) -> float | None:
        """ln(ours / published)."""
        if self.ours is None or self.ours <= 0:
            return None
        return math.log(self.ours / self.published)


@dataclass(frozen=True)
class Candidate:
    """Parameters with their residuals; `first_ranks` counts Table IV's A grades of EQM kept."""

    parameters: Mapping[str, Any]
    residuals: tuple[Residual, ...]
    first_ranks: int

    @property
    def objective(self) -> float:
        """The sum of squared residuals."""
        return math.fsum(one.residual**2 for one in self.residuals if one.residual is not None)


def why_infeasible(
    column: str, other: str, row: Mapping[str, Mapping[str, float]], rem_lost_share: float
) -> str:
    """Why the printed ratio EQM over `other` cannot come from common arrivals, or nothing.

    `row` holds Table III by row key. Its losses are counts of runs of unknown length;
    `rem_lost_share`, the share of packets that REM loses in our runs, turns them into shares.
    """
    queue = row["queue"]["eqm"] / row["queue"][other]
    delay = row["delay"]["eqm"] / row["delay"][other]
    throughput = row["throughput"]["eqm"] / row["throughput"][other]
    saved = row["loss"][other] - row["loss"]["eqm"]
    gain = max(0.0, saved / row["loss"]["rem"] * rem_lost_share)
    if column == "throughput_mbps" and throughput > 1 + gain:
        return (
            f"received is sent less lost: {saved:+g} packets saved bring at most "
            f"{percent_text(gain, 2)} more at our loss ratio, not {percent_text(throughput - 1, 1)}"
        )
    if column in ("queue", "queueing_ms") and not math.isclose(queue, delay, rel_tol=LITTLE_SLACK):
        return (
            f"Little's law wants like ratios for queue and delay at like throughput: "
            f"{queue:.2f} and {delay:.2f} exclude each other"
        )
    return ""


def residuals(evidence: Evidence) -> tuple[Residual, ...]:
    """All targets and what the run of this evidence makes of them."""
    table = evidence.published.table_three
    rows = {key: row.values for key, row in table.items()}
    rem_lost = evidence.intervals("loss_percent", "all", ("rem",))["rem"].mean
    rem_lost_share = (rem_lost or 0.0) / 100
    found: list[Residual] = []
    for column in RANKED:
        reading = grades.reading_of(column)
        means = evidence.intervals(column, reading, PUBLISHED)
        printed = rows[MEASURES[column].published or column]
        for other in OTHERS:
            mine, its = means["eqm"].mean, means[other].mean
            found.append(
                Residual(
                    column=column,
                    other=other,
                    published=printed["eqm"] / printed[other],
                    ours=mine / its if mine is not None and its else None,
                    infeasible=why_infeasible(
                        column,
                        other,
                        rows,
                        rem_lost_share,
                    ),
                )
            )
    return tuple(found)


def candidate(evidence: Evidence, parameters: Mapping[str, Any]) -> Candidate:
    """The residuals of a run, with the A grades of EQM that it keeps."""
    theirs = grades.theirs(evidence)
    kept = 0
    for column, row in theirs.items():
        if row["eqm"] != "A":
            continue
        means = evidence.intervals(column, grades.reading_of(column), PUBLISHED)
        values = {name: one.mean for name, one in means.items() if one.mean is not None}
        pick = min if MEASURES[column].better == "lower" else max
        kept += bool(values) and pick(values, key=lambda name: values[name]) == "eqm"
    return Candidate(parameters, residuals(evidence), kept)


def grid_points(grid: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Every combination of a grid."""
    return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]


def calibration_scenario(settings: Settings, grid: Mapping[str, Sequence[Any]] = GRID) -> str:
    """The scenario that tries the whole grid beside RED, REM and SFQ on common arrivals."""
    document = scenario.document(settings)
    queues = [one for one in scenario.queues(settings) if one["discipline"] in OTHERS]
    eqm = next(one for one in scenario.base()["vary"][scenario.QUEUE_KEY])
    plain = {"discipline": "eqm", "limit": eqm["limit"], "preset": settings["queues"]}
    queues += [plain | point for point in grid_points(grid)]
    document["name"] = "eqm-calibration"
    document["vary"][scenario.QUEUE_KEY] = queues
    return toml_text(document)


def parameters_of(value: Any, names: Sequence[str]) -> dict[str, Any]:
    """The grid's parameters in a vary value (a table or its JSON text)."""
    table = json.loads(value) if isinstance(value, str) else value
    return {name: table[name] for name in names if name in table}


def calibrate(
    frames: Frames, settings: Settings, grid: Mapping[str, Sequence[Any]] = GRID
) -> list[Candidate]:
    """Candidates of a finished run of `calibration_scenario`, the best first.

    The derived ranks come before the objective: EQM best in the parameters in which Table IV has
    it best, as far as common arrivals allow.
    """
    queue_column = frames.points[scenario.QUEUE_KEY]
    by_text: dict[str, list[int]] = {}
    reference: list[int] = []
    for point, value in zip(frames.points["point"], queue_column, strict=True):
        if measures.discipline_of(value) == "eqm":
            key = json.dumps(parameters_of(value, list(grid)))
            by_text.setdefault(key, []).append(point)
        else:
            reference.append(point)
    others = measures.observations(frames, settings, reference)
    found: list[Candidate] = []
    for key, points in by_text.items():
        mine = measures.observations(frames, settings, points)
        evidence = Evidence.of(pl.concat([mine, others]), settings)
        found.append(candidate(evidence, json.loads(key)))
    return sorted(found, key=lambda one: (-one.first_ranks, one.objective))


def residual_table(one: Candidate, table_id: str, caption: str) -> Table:
    """Residuals of one candidate: a row per target."""
    rows: list[tuple[str, ...]] = []
    records: list[dict[str, Any]] = []
    for target in one.residuals:
        residual = target.residual
        rows.append(
            (
                f"{MEASURES[target.column].title}, over {label(target.other)}",
                figure_text(target.published),
                figure_text(target.ours),
                MISSING if residual is None else f"{residual:+.2f}",
                target.infeasible or MISSING,
            )
        )
        records.append(
            {
                "parameter": target.column,
                "other": target.other,
                "published": target.published,
                "ours": target.ours,
                "residual": residual,
                "infeasible": target.infeasible,
            }
        )
    return Table(
        id=table_id,
        caption=caption,
        header=(
            "EQM (reconstruction) over",
            "Published",
            "Ours",
            "ln(ours / published)",
            "Infeasible",
        ),
        rows=tuple(rows),
        note=f"Sum of squares {one.objective:.3g}.",
        numeric=False,
        records=records,
    )


def grid_table(candidates: Sequence[Candidate], shown: int = 10) -> Table:
    """The best candidates of a grid."""
    names = list(candidates[0].parameters) if candidates else []
    rows = tuple(
        (
            str(place),
            *(str(one.parameters[name]) for name in names),
            str(one.first_ranks),
            figure_text(one.objective),
        )
        for place, one in enumerate(candidates[:shown], start=1)
    )
    return Table(
        id="calibration-grid",
        caption=f"The {len(rows)} best of {len(candidates)} combinations",
        header=("Place", *names, "A grades kept", "Sum of squares"),
        rows=rows,
        records=[
            dict(one.parameters) | {"first_ranks": one.first_ranks, "objective": one.objective}
            for one in candidates
        ],
    )


def parameters_text(parameters: Mapping[str, Any]) -> str:
    """Parameters in words: "tau = 20 ms, ..."."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items())


def grid_words(count: int, best: Mapping[str, Any], objective: float, first_ranks: int) -> str:
    """What the search found."""
    return (
        f"Of {count} combinations the best keeps {first_ranks} of EQM's A grades at a sum of "
        f"squares of {objective:.3g}: {parameters_text(best)}."
    )


def defaults_words(candidates: Sequence[Candidate]) -> str:
    """Where the defaults stand among the candidates; nothing if the grid lacks them."""
    for place, one in enumerate(candidates, start=1):
        if dict(one.parameters) == DEFAULTS:
            near = one.objective < (1 + KEPT) * candidates[0].objective
            return (
                f"The defaults come out at place {place} with a sum of squares of "
                f"{one.objective:.3g}"
                + (f", within {percent_text(KEPT)} of the best, and are kept." if near else ".")
            )
    return ""


def section(
    evidence: Evidence, candidates: Sequence[Candidate] = (), stored: str | None = None
) -> Section:
    """The part of the report on calibration: residuals of this run, then of the grid's best.

    `stored` are the words of an earlier search, for a run without one.
    """
    used = scenario.eqm_parameters(evidence.settings)
    name = parameters_text(used) or "the default parameters"
    now = candidate(evidence, used)
    infeasible = sum(bool(one.infeasible) for one in now.residuals)
    paragraphs = [
        "The published EQM is not public, so its parameters cannot be looked up. What can be done "
        "is to compare EQM (reconstruction) with the EQM row of Table III relative to the other "
        "rows: the absolute numbers cannot be right, their ratios might be.",
        f"With {name} the sum of squared logarithmic residuals is {now.objective:.3g}; "
        f"{infeasible} of {len(now.residuals)} targets are infeasible on common arrivals, and are "
        f"named so.",
    ]
    known = [one for one in now.residuals if one.residual is not None]
    if known:
        worst = max(known, key=lambda one: abs(one.residual or 0.0))
        share = (worst.residual or 0.0) ** 2 / now.objective if now.objective else 0.0
        paragraphs.append(
            f"The largest residual is {MEASURES[worst.column].title.lower()} over "
            f"{label(worst.other)}: {worst.residual:+.2f}, {percent_text(share)} of the sum. No "
            f"parameter of EQM changes what {label(worst.other)} does."
        )
    tables = [residual_table(now, "residuals", f"Residuals with {name}")]
    if candidates:
        best = candidates[0]
        paragraphs.append(
            grid_words(len(candidates), best.parameters, best.objective, best.first_ranks)
            + " "
            + defaults_words(candidates)
        )
        tables.append(grid_table(candidates))
        title = f"Residuals with {parameters_text(best.parameters)}"
        tables.append(residual_table(best, "residuals-best", title))
    elif stored is not None:
        paragraphs.append(stored)
    return Section(
        "calibration", "Calibration of EQM (reconstruction)", tuple(paragraphs), tuple(tables)
    )
