"""``sojourn diff``: which metrics moved between two experiments."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.endings import fail
from sojourn.cli.options import JsonOption
from sojourn.cli.status import WRONG_INPUT
from sojourn.wording import counted

if TYPE_CHECKING:
    from sojourn.experiments.diff import Difference, Moved
    from sojourn.experiments.folder import Experiment


EXAMPLES = (
    ("what moved, and whether significantly", "sojourn diff results/before results/after"),
    ("whatever moved, as JSON", "sojourn diff results/before results/after --all --json"),
)
"""What its manual page shows: what for, and the command."""


def diff(
    first: Annotated[Path, typer.Argument(help="The folder of an experiment.")],
    second: Annotated[Path, typer.Argument(help="The folder of another.")],
    level: Annotated[
        float, typer.Option(min=0.5, max=0.9999, help="Confidence of the whole comparison.")
    ] = 0.95,
    all_: Annotated[
        bool, typer.Option("--all", help="Also show what moved without significance.")
    ] = False,
    json_: JsonOption = False,
) -> None:
    """Show which metrics moved between two experiments, and whether significantly.

    Points are matched by the values that vary. Experiments of the same seed are compared in pairs
    of replicas; Holm's correction covers everything that moved. Exit status 0 either way.
    """
    from sojourn.experiments.diff import diff as compare
    from sojourn.experiments.folder import read
    from sojourn.experiments.manifest import FolderError

    try:
        experiments = read(first), read(second)
    except FolderError as error:
        raise fail(str(error), WRONG_INPUT) from None
    difference = compare(*experiments, level=level)
    if json_:
        json.dump(_document(difference), sys.stdout, indent=1, allow_nan=False)
        print()
    else:
        _print(difference, experiments, all_)


def _document(difference: Difference) -> dict[str, Any]:
    return {
        "compared": difference.compared,
        "paired": difference.paired,
        "level": difference.level,
        "moved": [_row(difference, each) for each in difference.moved],
        "only_first": difference.only_first,
        "only_second": difference.only_second,
    }


def _row(difference: Difference, moved: Moved) -> dict[str, Any]:
    interval = moved.difference
    known = interval.low is not None and interval.high is not None
    return {
        "vary": moved.vary,
        "table": moved.table,
        "name": moved.name,
        "metric": moved.metric,
        "first": moved.first,
        "second": moved.second,
        "difference": {
            "mean": interval.mean,
            "ci": [interval.low, interval.high] if known else None,
            "n": interval.n,
        },
        "adjusted_p": moved.adjusted,
        "significant": difference.is_significant(moved),
    }


def _print(
    difference: Difference, experiments: tuple[Experiment, Experiment], everything: bool
) -> None:
    from rich.table import Table

    from sojourn.cli.console import printer
    from sojourn.wording import labels

    console = printer()
    certain = [each for each in difference.moved if difference.is_significant(each)]
    shown = difference.moved if everything else certain
    console.print(_headline(difference, len(certain)))
    for what in _circumstances(difference, experiments):
        console.print(what)
    if not shown:
        return
    vary = experiments[0].results.scenario.vary
    called = dict(zip(map(_key, vary), labels(vary), strict=True))
    table = Table(pad_edge=False)
    for heading in ("point", "of", "metric"):
        table.add_column(heading, overflow="fold")
    for heading in ("first", "second", "difference", "", "n", "p (Holm)"):
        table.add_column(heading, justify="right")
    for each in shown:
        interval = each.difference
        half = "" if interval.half_width is None else f" ± {interval.half_width:.3g}"
        relative = "" if each.relative is None else f"{100 * each.relative:+.3g} %"
        of = ".".join(part for part in (each.table, each.name) if part)
        table.add_row(
            *(called[_key(each.vary)] or "-", of, each.metric),
            *(_number(each.first), _number(each.second)),
            *(_number(interval.mean) + half, relative, str(interval.n), _p_value(each)),
        )
    table.caption = f"n: {'pairs' if difference.paired else 'values of the smaller side'}"
    console.print(table)


def _key(vary: dict[str, Any]) -> str:
    """A point by what varies there, in whatever order."""
    return json.dumps(vary, sort_keys=True)


def _headline(difference: Difference, certain: int) -> str:
    how = "paired by replica" if difference.paired else "the seeds differ: not paired"
    if not difference.compared:
        return "Nothing was compared: the two have no replica of a common point in common."
    if not difference.moved:
        return f"{difference.compared} metrics compared: nothing moved."
    return (
        f"{difference.compared} metrics compared, {len(difference.moved)} moved, {certain} of them "
        f"significantly ({100 * difference.level:g} % over all, Holm; {how})."
    )


def _circumstances(difference: Difference, experiments: tuple[Experiment, Experiment]) -> list[str]:
    """What else is not the same."""
    first, second = (each.manifest for each in experiments)
    said = []
    if first["engine"] != second["engine"]:
        engines = f"{first['engine'][:8]} and {second['engine'][:8]}"
        said.append(f"They were run by different engines: {engines}.")
    for number, only in enumerate((difference.only_first, difference.only_second)):
        if only:
            which = ("first", "second")[number]
            are = "is" if len(only) == 1 else "are"
            said.append(f"{counted(len(only), 'point')} {are} in the {which} experiment only.")
    said += [
        f"{each.folder} is not complete." for each in experiments if not each.manifest["complete"]
    ]
    return said


def _p_value(moved: Moved) -> str:
    if moved.difference.low is None:
        return "-"
    return "< 0.0001" if moved.adjusted < 1e-4 else f"{moved.adjusted:.2g}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.5g}"
