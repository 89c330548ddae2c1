"""``sojourn compare``: disciplines side by side on one bottleneck."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.completion import disciplines_like
from sojourn.cli.endings import fail, interrupted
from sojourn.cli.notes import note, warn
from sojourn.cli.options import (
    LEAST_TEXT,
    MOST_REPLICAS,
    JobsOption,
    JsonOption,
    LeastOption,
    SeedOption,
    read_share,
)
from sojourn.cli.results_folder import place_for, written_first
from sojourn.cli.status import WRONG_INPUT
from sojourn.columns import OF_SO_MANY, Column, mean_and_half, of_fewer
from sojourn.errors.extras import MissingExtra

if TYPE_CHECKING:
    from sojourn.comparison.answer import Answer
    from sojourn.results import Results
    from sojourn.stats.intervals import Interval


EXAMPLES = (
    ("four disciplines under four CUBIC downloads", "sojourn compare droptail red codel fq_codel"),
    (
        "a slow uplink, and a call beside the upload",
        "sojourn compare droptail cake --rate '5 Mbit/s' --rtt '30 ms' --flows '1 cubic "
        "+ 1 cbr@100kbit/s'",
    ),
    ("settings of one discipline", "sojourn compare codel 'codel,target=20 ms' --replicas 20"),
    ("a discipline of your own beside the built-in ones", "sojourn compare my_aqm:Slope codel pie"),
)
"""What its manual page shows: what for, and the command."""


def compare(
    disciplines: Annotated[
        list[str],
        typer.Argument(
            metavar="DISCIPLINE",
            autocompletion=disciplines_like,
            help="Queue disciplines, each with settings if wanted: codel, 'codel,target=20 ms'; "
            "module:Class names one in Python.",
            show_default=False,
        ),
    ],
    rate: Annotated[
        str, typer.Option(metavar="RATE", help="Rate of the bottleneck.")
    ] = "10 Mbit/s",
    rtt: Annotated[
        str, typer.Option(metavar="TIME", help="Two-way propagation of the whole path.")
    ] = "40 ms",
    flows: Annotated[
        str,
        typer.Option(
            metavar="FLOWS",
            help="The traffic: '4 cubic + 1 cbr@2Mbit/s + 1 trace@call.pcap'. A congestion control "
            "means a bulk transfer under it; module:Class names one in Python.",
        ),
    ] = "4 cubic",
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Limit of every queue; default: each discipline's own.",
            show_default=False,
        ),
    ] = None,
    ecn: Annotated[
        bool, typer.Option("--ecn", help="Use ECN, in TCP and in queues that mark.")
    ] = False,
    duration: Annotated[str, typer.Option(metavar="TIME", help="Simulated time.")] = "60 s",
    warmup: Annotated[str, typer.Option(metavar="TIME", help="Measurements start here.")] = "10 s",
    replicas: Annotated[
        int, typer.Option(min=1, max=MOST_REPLICAS, help="Replicas of each discipline.")
    ] = 10,
    least: LeastOption = LEAST_TEXT,
    seed: SeedOption = None,
    jobs: JobsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Write tables, scenario and figure here; default: the figure alone, into "
            "results/compare.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Compare disciplines on an ad-hoc bottleneck: tables and a figure.

    All disciplines face the same traffic, replica by replica (common random numbers). Values are
    means over replicas with their 95 % Student interval; a star marks the best of a column, only
    where paired intervals separate it from every other value, and by more than --least.
    """
    from sojourn.cli import progress
    from sojourn.comparison.answer import answer, document
    from sojourn.comparison.question import Question
    from sojourn.runner import run

    share = read_share(least, "--least")
    question = Question(
        tuple(disciplines),
        rate=rate,
        rtt=rtt,
        flows=flows,
        limit=limit,
        ecn=ecn,
        duration=duration,
        warmup=warmup,
        replicas=replicas,
        seed=1 if seed is None else seed,
    )
    try:
        scenario = question.scenario()
    except ValueError as error:
        raise fail(str(error), WRONG_INPUT) from None
    for warning in scenario.warnings:
        warn(question.in_options(warning))
    with place_for(out, scenario):
        with progress.shown("compare") as shown:
            results = run(scenario, jobs=jobs, progress=shown)
        if not results.complete:
            kept = f"their tables are in {out}" if out is not None else "--out DIR would keep them"
            if out is not None and not results.runs.is_empty():
                results.write(out)
            raise interrupted(scenario, results.runs["point"], kept)
        for warning in results.warnings:
            warn(question.in_options(warning))
        found = answer(results, question.labels(), question.elastic(), share)
        with written_first(lambda: [] if out is None else results.write(out)) as written:
            if json_:
                document_ = {"sojourn": results.sojourn, "scenario": question.toml()}
                json.dump(document_ | {"disciplines": document(found)}, sys.stdout, indent=1)
                print()
            else:
                _print(scenario.title, found, results, share)
        written += _draw(results, out or Path("results") / "compare")
        for path in written:
            note(str(path))


def _print(title: str, found: Answer, results: Results, least: float) -> None:
    from sojourn.cli.console import printer
    from sojourn.cli.fitting import FittingTable
    from sojourn.cli.run_tables import flow_table
    from sojourn.comparison.answer import COMPARED
    from sojourn.stats.paired import FEWEST

    metrics = [metric for metric in COMPARED if found.tells(metric)]
    columns = [metric.column.fitted(found.means(metric)) for metric in metrics]
    table = FittingTable(title, ["discipline"], columns)
    for label in found.labels:
        cells = [found.rows[label][metric.key] for metric in metrics]
        texts = [
            _text(cell.interval, column, found.replicas)
            for cell, column in zip(cells, columns, strict=True)
        ]
        table.add([label], texts, [cell.best for cell in cells])
    if found.replicas > 1:
        table.caption = f"mean over {found.replicas} replicas ± half of the 95 % interval; " + (
            f"* best of its column beyond doubt, its mean by more than {100 * least:g} %"
            if found.replicas >= FEWEST
            else f"with fewer than {FEWEST} none is called best"
        )
        means = [cell.interval for row in found.rows.values() for cell in row.values()]
        if any(0 < one.n < found.replicas for one in means):
            table.caption += OF_SO_MANY
    console = printer()
    table.print(console)
    points = results.summary()["points"]
    if len(points[0]["groups"]) > 1:
        flow_table(points, ["discipline"], [[label] for label in found.labels]).print(console)


def _text(interval: Interval, column: Column, replicas: int) -> str:
    """A mean ± half of its interval, and of how many where these are fewer than ``replicas``."""
    if interval.mean is None:
        return "-"
    text = mean_and_half(interval.mean, interval.half_width, column.factor, column.decimals)
    return text + of_fewer(interval.n, replicas)


def _draw(results: Results, folder: Path) -> list[Path]:
    """Write the figure, or say in a line why there is none: the table stands without it."""
    from sojourn.experiments.output_folder import writing
    from sojourn.plots.choice import PlotError

    try:
        figure = results.plot("delay-goodput", link="bottleneck")
    except (MissingExtra, PlotError) as error:
        note(f"no figure: {error}")
        return []
    # Without --out others may draw there too.
    with writing(folder):
        return list(figure.save(folder / "delay-goodput").values())
