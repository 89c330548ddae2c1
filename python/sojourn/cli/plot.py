"""``sojourn plot``: one figure of an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.endings import fail, interrupted
from sojourn.cli.options import JobsOption, ReplicasOption, SetOption, parse_settings
from sojourn.cli.status import WRONG_INPUT
from sojourn.errors.extras import needed
from sojourn.errors.nearest import refusal

if TYPE_CHECKING:
    from sojourn.results import Results

SAMPLES = 400
"""Samples of a time series where the scenario file asks for none."""


EXAMPLES = (
    (
        "a metric against the key that varies",
        "sojourn plot scenarios/red-against-droptail.toml load",
    ),
    (
        "the queue over time, as PDF",
        "sojourn plot scenarios/tcp-beside-cbr.toml queue --out queue.pdf",
    ),
    ("from a folder, another metric", "sojourn plot results/red load --of total.goodput_bps"),
    (
        "two metrics of every discipline, under the first load",
        "sojourn plot results/red compare --case 0 --of "
        "links.bottleneck.queueing_delay_p95_s,total.goodput_bps",
    ),
)
"""What its manual page shows: what for, and the command."""


def plot(
    source: Annotated[
        Path,
        typer.Argument(metavar="FILE|DIR", help="A scenario file, or the folder of an experiment."),
    ],
    kind: Annotated[
        str,
        typer.Argument(
            help="queue, delay, throughput, cwnd, series, cdf, fct, delay-goodput, load, compare, "
            "fairness, drops, probability, heatmap or ranking."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write it here: NAME.svg, .pdf or .png, or without an ending all three; default: "
            "figures/KIND in the folder of the experiment, results/NAME/KIND for a file.",
            show_default=False,
        ),
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            metavar="QUANTITY",
            help="The metric of load, compare, heatmap or ranking, such as total.goodput_bps "
            "(compare and ranking: several, with commas); the time series of series, such as prob; "
            "fct_s or slowdown of fct.",
            show_default=False,
        ),
    ] = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The link; default: where packets wait longest.",
            show_default=False,
        ),
    ] = None,
    flow: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Flows of this name; * stands for any text, and several names have commas "
            "between; default: all.",
            show_default=False,
        ),
    ] = None,
    case: Annotated[
        int | None,
        typer.Option(
            help="The case, from 0, if more varies than what is compared; default: the last.",
            show_default=False,
        ),
    ] = None,
    replica: Annotated[
        int | None,
        typer.Option(help="The replica of a figure over time; default: 0.", show_default=False),
    ] = None,
    x: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            help="The key of [vary] on the x axis of load, heatmap; default: the first that makes "
            "cases, or else the first quantity.",
            show_default=False,
        ),
    ] = None,
    y: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", help="The key of [vary] on the y axis of heatmap.", show_default=False
        ),
    ] = None,
    settings: SetOption = None,
    replicas: ReplicasOption = None,
    jobs: JobsOption = None,
) -> None:
    """Draw one figure, and write the data behind it as CSV beside it.

    A scenario file is run first, with --set, --replicas and --jobs; the folder of an experiment is
    drawn as it is.
    """
    with needed("plots"):
        from sojourn.plots.choice import PlotError
        from sojourn.plots.kinds import KINDS
        from sojourn.plots.plot import format_of

    if kind not in KINDS:
        raise typer.BadParameter(refusal(kind, KINDS), param_hint="KIND")
    if source.is_dir():
        of_runs = {"--set": settings, "--replicas": replicas, "--jobs": jobs}
        for name in (name for name, value in of_runs.items() if value):
            message = f"found it with {source}, which is drawn as it is; allowed: with a file"
            raise typer.BadParameter(message, param_hint=name)
    if out is not None:
        # Before the runs, which may take long.
        try:
            format_of(out)
        except ValueError as error:
            raise fail(f"--out: {error}", WRONG_INPUT) from None
    options = {"of": of, "link": link, "flow": flow, "case": case, "replica": replica}
    options |= {"x": x, "y": y}
    results, folder = (
        _read(source)
        if source.is_dir()
        else _run(source, settings, replicas, jobs, needs=KINDS[kind].needs)
    )
    try:
        written = results.plot(kind, **options).save(out or folder / kind)
    except PlotError as error:
        raise fail(f"{source}: {error}", WRONG_INPUT) from None
    for path in written.values():
        print(path)


def _read(folder: Path) -> tuple[Results, Path]:
    from sojourn.experiments.folder import read
    from sojourn.experiments.manifest import FolderError

    try:
        return read(folder).results, folder / "figures"
    except FolderError as error:
        raise fail(str(error), WRONG_INPUT) from None


def _run(
    file: Path,
    settings: list[str] | None,
    replicas: int | None,
    jobs: int | None,
    *,
    needs: str | None,
) -> tuple[Results, Path]:
    """Run a scenario, so that it records what the figure ``needs``; see `plots.kinds.Kind`."""
    from sojourn.cli import progress
    from sojourn.lookup import find
    from sojourn.runner import run

    scenario = find(file, parse_settings(settings))
    if needs == "transfers":
        scenario = scenario.with_overrides({"transfers": True})
    interval = None
    if needs == "series" and scenario.identity(0).get("series", "none") == "none":
        interval = f"{scenario.core.duration_s(0) / SAMPLES:.12f} s"
    with progress.shown(scenario.name) as shown:
        results = run(
            scenario, replicas=replicas, jobs=jobs, series_interval=interval, progress=shown
        )
    if not results.complete:
        raise interrupted(scenario, results.runs["point"], "a figure needs all of them")
    return results, Path("results") / scenario.name
