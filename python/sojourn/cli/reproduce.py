"""``sojourn reproduce``: run a study, or all of them, and pass a verdict on every claim."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.completion import studies_like
from sojourn.cli.endings import fail
from sojourn.cli.options import MOST_REPLICAS, JobsOption, JsonOption, SeedOption
from sojourn.cli.status import FAILED, INTERRUPTED, WRONG_INPUT
from sojourn.errors.extras import needed

WIDTH = 140
"""Columns where there is no terminal to ask."""

EXAMPLES = (
    ("a study in its quick form: seconds", "sojourn reproduce eqm --quick"),
    ("all studies, one table of verdicts", "sojourn reproduce all --quick"),
    (
        "a choice that the publication leaves open",
        "sojourn reproduce eqm --set on='0.2 s' --out results/eqm-short",
    ),
)
"""What its manual page shows: what for, and the command."""


def reproduce(
    study: Annotated[
        str,
        typer.Argument(
            metavar="STUDY|all",
            autocompletion=studies_like,
            help="A study (see sojourn list studies), or all.",
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer loads and shorter runs; takes seconds.")
    ] = False,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="Also search the parameters of a reconstruction."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Folder of the report; default: results/STUDY.",
            show_default=False,
        ),
    ] = None,
    replicas: Annotated[
        int | None,
        typer.Option(
            "--replicas",
            min=1,
            max=MOST_REPLICAS,
            help="Replicas of each point; ece6110, large-network, all: 2 or more.",
            show_default=False,
        ),
    ] = None,
    jobs: JobsOption = None,
    seed: SeedOption = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KNOB=VALUE",
            help="A choice that the publication leaves open: --set on='0.5 s'. May be repeated.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Reproduce a published study: tables, figures, and a verdict for each of its claims.

    Exit status 0 whatever the verdicts: "disagrees" is a result, not a failure.
    """
    # Here, so that the other commands need not wait for the libraries of figures and pages.
    from sojourn.cli import progress
    from sojourn.cli.console import printer
    from sojourn.studies.base import LawBroken
    from sojourn.studies.knobs import StudyError

    with needed("report"):
        from sojourn.report.reproduction import Interrupted, Request, reproduce_all
        from sojourn.studies.execution import run_scenario

    request = Request(study, quick, calibrate, out, replicas, jobs, seed, tuple(settings or ()))
    console = printer(WIDTH)
    try:
        reproduce_all(request, run_scenario, console, as_json=json_, progress=progress.shown)
    except StudyError as error:
        raise fail(str(error), WRONG_INPUT) from None
    except Interrupted as interrupted:
        raise fail(str(interrupted), INTERRUPTED) from None
    except LawBroken as error:
        raise fail(f"{error}; this is a fault of sojourn, no result is shown", FAILED) from None
