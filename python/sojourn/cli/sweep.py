"""``sojourn sweep``: all runs of a scenario into a folder, resumed after whatever happened."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.console import print_summary
from sojourn.cli.endings import failures
from sojourn.cli.notes import note, print_interval_warning, print_warnings, warn
from sojourn.cli.options import (
    ClusterOption,
    IntervalName,
    IntervalOption,
    JobsOption,
    JsonOption,
    PrecisionOption,
    ReplicasOption,
    ScenarioArgument,
    SeedOption,
    SetOption,
    parse_settings,
)
from sojourn.wording import counted

EXAMPLES = (
    (
        "into a folder; the same command goes on after a kill",
        "sojourn sweep scenarios/red-against-droptail.toml --out results/red",
    ),
    ("the first of eight machines", "sojourn sweep big.toml --out part-1 --shard 1/8"),
    ("on a Dask cluster", "sojourn sweep big.toml --out results/big --cluster tcp://10.0.0.1:8786"),
)
"""What its manual page shows: what for, and the command."""


def sweep(
    file: ScenarioArgument,
    out: Annotated[
        Path,
        typer.Option(file_okay=False, help="The folder of the experiment, created if missing."),
    ],
    settings: SetOption = None,
    seed: SeedOption = None,
    replicas: ReplicasOption = None,
    precision: PrecisionOption = None,
    interval: IntervalOption = IntervalName.STUDENT,
    jobs: JobsOption = None,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="I/N",
            help="Run only part I of N; sojourn merge puts the parts together.",
            show_default=False,
        ),
    ] = None,
    cluster: ClusterOption = None,
    json_: JsonOption = False,
) -> None:
    """Run every point and replica of a scenario into a folder.

    Finished runs are written to disk at once. Whatever ends the sweep, the same command resumes it;
    after a change of the scenario it runs only what has changed.
    """
    from sojourn.cli import progress
    from sojourn.experiments.share import WHOLE, Share
    from sojourn.experiments.sweep import sweep as run_sweep
    from sojourn.lookup import prepared

    try:
        share = WHOLE if shard is None else Share.read(shard)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--shard") from None
    scenario = prepared(file, parse_settings(settings), replicas, seed, precision=precision)
    print_warnings(scenario)
    with failures(out), progress.shown(scenario.name) as shown:
        results = run_sweep(
            scenario,
            out,
            jobs=jobs,
            share=share,
            cluster=cluster,
            progress=shown,
            note=note,
        )
    for warning in results.warnings:
        warn(warning)
    print_interval_warning(interval, results.runs["point"])
    if json_:
        print_summary(results.summary(interval.value))
    else:
        points = counted(results.scenario.core.points, "point")
        part = "" if share.is_whole else f" (part {share})"
        print(f"{out}: {counted(len(results.runs), 'run')} of {points}{part}")
