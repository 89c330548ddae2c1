"""``sojourn report``: one self-contained page about an experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.endings import fail
from sojourn.cli.options import LEAST_TEXT, LeastOption, read_share
from sojourn.cli.status import WRONG_INPUT
from sojourn.errors.brief import InputError
from sojourn.errors.extras import needed

EXAMPLES = (
    ("one page with everything, into the folder", "sojourn report results/red"),
    ("the page alone", "sojourn report results/red --out red.html --no-figures"),
)
"""What its manual page shows: what for, and the command."""


def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="A folder that run, sweep or merge has written."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="The page; default: report.html in the folder.", show_default=False),
    ] = None,
    figures: Annotated[
        bool,
        typer.Option(help="Also write the figures for print: SVG, PDF, PNG and CSV in figures/."),
    ] = True,
    least: LeastOption = LEAST_TEXT,
) -> None:
    """Write one HTML file about an experiment; it opens offline.

    It holds the question, the answer with its uncertainty, sortable tables, interactive figures,
    warnings, and how to repeat it. Needs: pip install 'sojourn[report]'.
    """
    from sojourn.experiments.folder import read
    from sojourn.experiments.manifest import FolderError

    with needed("report"):
        from sojourn.report.experiment import write

    share = read_share(least, "--least")
    try:
        experiment = read(folder)
    except FolderError as error:
        raise fail(str(error), WRONG_INPUT) from None
    with needed("report"):
        place = out or folder / "report.html"
        try:
            page = write(experiment.results, place, experiment.manifest, share)
        except InputError as error:
            raise fail(f"{folder}: {error}", WRONG_INPUT) from None
    if figures:
        with needed("plots"):
            from sojourn.plots.kinds import draw_all

        for path in draw_all(experiment.results, folder / "figures"):
            print(path)
    print(page)
