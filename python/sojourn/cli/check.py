"""``sojourn check``: validate only."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.notes import print_warnings
from sojourn.cli.options import SetOption, parse_settings
from sojourn.scenario import Scenario
from sojourn.wording import counted

EXAMPLES = (
    ("one clear error, or none", "sojourn check scenarios/mm1.toml"),
    ("the same with a key set", "sojourn check scenarios/mm1.toml --set duration='5 min'"),
)
"""What its manual page shows: what for, and the command."""


def check(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE|STUDY",
            help="A scenario file, or a study's name.",
            show_default=False,
        ),
    ],
    settings: SetOption = None,
) -> None:
    """Check every point of a scenario file, without running any.

    Prints the first error, with file, line and key, and ends with exit status 2; with exit status 0
    if there is none.
    """
    if file.suffix or file.exists():
        scenario = Scenario.load(file, parse_settings(settings))
    else:
        # Files need not wait for what runs them.
        from sojourn.lookup import find

        scenario = find(file, parse_settings(settings))
    if scenario.core.precision is not None or scenario.core.precision_of is not None:
        # Here, so that the other files need not wait for the statistics.
        from sojourn.experiments.precision import Goal

        Goal.of(scenario)
    print_warnings(scenario)
    points = scenario.core.points
    counts = f"{counted(points, 'point')}, {counted(points * scenario.replicas, 'run')}"
    typer.echo(f"{file}: ok: {scenario.name}, {counts}")
