"""``sojourn merge``: the parts of a sweep become one experiment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.endings import fail
from sojourn.cli.notes import note
from sojourn.cli.status import FAILED, WRONG_INPUT
from sojourn.wording import counted

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
    then hold what there is. Where there is nothing that they could hold, none are written.
    """
    from sojourn.experiments.manifest import FolderError
    from sojourn.experiments.merge import NothingFoundError
    from sojourn.experiments.merge import merge as merge_parts

    if out is None and len(folders) > 1:
        raise typer.BadParameter("found nothing; allowed: a folder", param_hint="--out")
    out = out or folders[0]
    try:
        results, missing = merge_parts(folders, out, note=note)
    except FolderError as error:
        raise fail(str(error), WRONG_INPUT) from None
    except NothingFoundError as error:
        raise fail(f"{_missing(error.missing)}; no tables are written", FAILED) from None
    except OSError as error:
        raise fail(f"{error.filename or out}: {error.strerror or error}", FAILED) from None
    points = counted(results.scenario.core.points, "point")
    print(f"{out}: {counted(len(results.runs), 'run')} of {points}")
    if missing:
        raise fail(_missing(missing), FAILED)


def _missing(count: int) -> str:
    are = "is" if count == 1 else "are"
    return f"{counted(count, 'run')} {are} in none of the folders: run their shards again"
