"""``sojourn merge``: the parts of a sweep become one experiment."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.options import counted, fail

EXAMPLES = (
    ("parts of a sweep become one", "sojourn merge part-1 part-2 --out whole"),
    ("the tables of parts that share a folder", "sojourn merge shared"),
)
"""What its manual page shows: what for, and the command."""


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="DIR", help="The folders of the parts.")],
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="The folder of the whole; required if there is more than one part.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Put the parts of a sweep (--shard i/n) together: the same tables as from one machine.

    If no part has some of the runs, their number is printed and the exit status is 1; the tables
    then hold what there is.
    """
    from sojourn.experiments.manifest import FolderError
    from sojourn.experiments.merge import merge as merge_parts

    if out is None and len(folders) > 1:
        raise typer.BadParameter("found nothing; allowed: a folder", param_hint="--out")
    out = out or folders[0]
    try:
        results, missing = merge_parts(folders, out, note=lambda text: print(text, file=sys.stderr))
    except FolderError as error:
        raise fail(str(error), 2) from None
    except OSError as error:
        raise fail(f"{error.filename or out}: {error.strerror or error}", 1) from None
    points = counted(results.scenario.core.points, "point")
    print(f"{out}: {counted(len(results.runs), 'run')} of {points}")
    if missing:
        are = "run is" if missing == 1 else "runs are"
        raise fail(f"{missing} {are} in none of the folders: run their shards again", 1)
