"""The tables of a report: every number with its interval, and a plain value to sort by."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from sojourn.columns import RARE, of_fewer
from sojourn.comparing import LEAST, differences, per_replica, ranking
from sojourn.experiments.cases import answers, cases, is_compared
from sojourn.metrics import better
from sojourn.plots.looks import looks
from sojourn.plots.quantities import AxisLabel, axis_label
from sojourn.plots.ranks import usual
from sojourn.plots.scales import scale
from sojourn.report.words import name_of, with_half
from sojourn.results import Results
from sojourn.stats.alike import sampled
from sojourn.stats.intervals import Interval, student_interval
from sojourn.wording import in_words, short_key

MOST_ROWS = 2000
"""Of a table on a page; the folder's Parquet tables hold everything."""

MEANS = "Mean over replicas ± half of the 95 % interval (n: of so many, where fewer have a value)"
"""What the numbers are."""

GROUP_METRICS = (
    "goodput_bps",
    "delay_mean_s",
    "delay_p99_s",
    "loss_ratio",
    "mark_ratio",
    "retransmits",
    "fct_s",
)
"""What is told of flows, where any has it; what is rare where it is not all zero."""


@dataclass(frozen=True)
class Cell:
    """A text, what it is sorted by, and whether it is the best of its case beyond doubt."""

    text: str
    sort: float | str | None
    best: bool = False


@dataclass(frozen=True)
class SortedTable:
    """A table that sorts; rows have the label that they are chosen by, or none."""

    id: str
    caption: str
    note: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


def tables(results: Results, least: float = LEAST) -> list[SortedTable]:
    """All tables of an experiment; those without rows are left out.

    Nothing is best that is ahead by the share ``least`` or less.
    """
    found = [_points(results, least), _groups(results), *_differences(results, least)]
    return [one for one in found if one.rows]


def _points(results: Results, least: float) -> SortedTable:
    quantities = usual(results)
    compared = [case.points for case in cases(results.scenario) if len(case.points) > 1]
    many = {point for points in compared for point in points}
    best: dict[str, set[int]] = {}
    for quantity in quantities:
        end = better(quantity.rpartition(".")[2])
        ranks = ranking(results, quantity, end or "lower", least=least)
        sole = ranks.filter((pl.col("rank") == 1) & (pl.col("ties").list.len() == 0))
        best[quantity] = set(sole["point"]) & many
    values = {quantity: per_replica(results, quantity) for quantity in quantities}
    labels = {quantity: axis_label(quantity.rpartition(".")[2]) for quantity in quantities}
    head, keys = _keys(results)
    rows = []
    for point, (name, cells) in enumerate(keys):
        numbers = [
            _cell(
                student_interval(values[one][point]),
                labels[one],
                point in best[one],
                len(values[one][point]),
            )
            for one in quantities
        ]
        rows.append((name, (*cells, *numbers)))
    header = [*head, *(_heading(name_of(one), labels[one]) for one in quantities)]
    return SortedTable(
        "points",
        "Every point",
        f"{MEANS}. Bold with a star: the best of its case "
        f"beyond doubt, its mean by more than {100 * least:g} %.",
        tuple(header),
        tuple(rows[:MOST_ROWS]),
    )


def _groups(results: Results) -> SortedTable:
    measured = [one for one in GROUP_METRICS if one in results.groups.columns]
    metrics = [one for one in measured if _tells(one, results.groups[one])]
    labels = {metric: axis_label(metric) for metric in metrics}
    head, keys = _keys(results)
    rows = []
    for key, found in results.groups.group_by("point", "group", maintain_order=True):
        point = int(str(key[0]))
        name, cells = keys[point]
        values = {one: sampled(found[one].to_list(), point in results.alike) for one in metrics}
        numbers = [
            _cell(student_interval(values[one]), labels[one], False, len(found)) for one in metrics
        ]
        rows.append((name, (*cells, Cell(str(key[1]), str(key[1])), *numbers)))
    header = [*head, "Flows", *(_heading(label.words, label) for label in labels.values())]
    return SortedTable(
        "flows",
        "Flows of each name",
        f"{MEANS}; goodput is the sum over the flows.",
        tuple(header),
        tuple(rows[:MOST_ROWS]),
    )


def _tells(metric: str, values: pl.Series) -> bool:
    """Whether a metric is worth a column, as in the tables on a terminal."""
    known = values.drop_nulls()
    return len(known) > 0 and (metric not in RARE or bool((known != 0).any()))


def _differences(results: Results, least: float) -> list[SortedTable]:
    found = []
    names = answers(results.scenario)
    drawn = looks(names)
    titles = {point: case.title for case in cases(results.scenario) for point in case.points}
    for quantity in (usual(results)[0], "total.goodput_bps"):
        how = axis_label(quantity.rpartition(".")[2])
        rows = []
        worth = differences(results, quantity, least=least)["separated"].alias("worth telling")
        pairs = differences(results, quantity, least=0).with_columns(worth)
        for row in pairs.iter_rows(named=True):
            if row["mean"] is None:
                continue
            first, second = (drawn[names[row[one]]].label for one in ("first", "second"))
            interval = Interval(row["mean"], row["low"], row["high"], 0)
            p_value = row["adjusted"]
            is_tested = row["low"] is not None
            cells = [
                *([Cell(titles[row["first"]], row["first"])] if any(titles.values()) else []),
                Cell(first, first),
                Cell(second, second),
                _cell(interval, how, False),
                Cell("< 0.0001" if p_value < 1e-4 else f"{p_value:.2g}", p_value)
                if is_tested
                else Cell("–", None),
                Cell(*_verdict(row["separated"], row["worth telling"]))
                if is_tested
                else Cell("–", ""),
            ]
            rows.append(("", tuple(cells)))
        head = ["Case"] if any(titles.values()) else []
        head += ["First", "Second", _heading("first less second", how), "p (Holm)", "They differ"]
        found.append(
            SortedTable(
                f"differences-{quantity.rpartition('.')[2].replace('_', '-')}",
                f"Differences: {name_of(quantity)}",
                "Paired by replica; the interval has the confidence at which Holm's procedure "
                "tested the pair, or ended before it. Hardly: beyond doubt, but by "
                f"{100 * least:g} % or less.",
                tuple(head),
                tuple(rows[:MOST_ROWS]),
            )
        )
    return found


def _verdict(separated: bool, worth_telling: bool) -> tuple[str, str]:
    """Whether two differ, and what that sorts by."""
    if worth_telling:
        return "yes", "2"
    return ("hardly", "1") if separated else ("no", "0")


def _keys(results: Results) -> tuple[list[str], list[tuple[str, tuple[Cell, ...]]]]:
    """The columns that say what a point is, and for each point its name and their cells."""
    scenario = results.scenario
    where = [key for key in scenario.core.vary_keys if not is_compared(key)]
    values = {key: [vary[key] for vary in scenario.vary] for key in where}
    scales = {key: scale(of_key) for key, of_key in values.items()}
    texts = {key: in_words(of_key) for key, of_key in values.items()}
    names = answers(scenario)
    drawn = looks(names)
    rows = []
    for point in range(len(names)):
        label = drawn[names[point]].label
        cells = [Cell(label or scenario.name, label)]
        cells += [Cell(texts[key][point], scales[key].numbers[point]) for key in where]
        rows.append((names[point], tuple(cells)))
    return ["Discipline", *(short_key(key) for key in where)], rows


def _heading(words: str, how: AxisLabel) -> str:
    words = words[:1].upper() + words[1:]
    return f"{words} ({how.unit})" if how.unit else words


def _cell(interval: Interval, how: AxisLabel, best: bool, replicas: int | None = None) -> Cell:
    """A mean over so many ``replicas``; where fewer have a value it says of how many."""
    if interval.mean is None:
        return Cell("–", None)
    half = None if interval.half_width is None else interval.half_width * how.factor
    text = with_half(interval.mean * how.factor, half) + of_fewer(interval.n, replicas)
    return Cell(text, interval.mean, best)
