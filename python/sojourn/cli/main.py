"""The ``sojourn`` program: its commands, and what its exit status means.

0: done (a verdict "disagrees" is a result, not a failure); 2: the input is wrong; 130:
interrupted, what is finished is kept; 1: anything else.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from sojourn._core import LedgerError, ScenarioError, UserCodeError, __version__
from sojourn.cli import manual
from sojourn.cli.check import check
from sojourn.cli.compare import compare
from sojourn.cli.diff import diff
from sojourn.cli.drive import drive
from sojourn.cli.events import events
from sojourn.cli.list import list_
from sojourn.cli.merge import merge
from sojourn.cli.plot import plot
from sojourn.cli.replay import replay
from sojourn.cli.report import report
from sojourn.cli.reproduce import reproduce
from sojourn.cli.run import run
from sojourn.cli.sensitivity import sensitivity
from sojourn.cli.sweep import sweep
from sojourn.cli.tc import tc
from sojourn.cli.tune import tune
from sojourn.cli.validate import validate
from sojourn.extras import LIBRARIES, MissingExtra, missing

app = typer.Typer(
    name="sojourn",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sojourn {__version__}")
        raise typer.Exit


@app.callback()
def sojourn(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """A laboratory for queue management.

    Which queue discipline is best on this bottleneck, by how much, and how sure are we?
    """


COMMANDS = (
    ("run", run),
    ("compare", compare),
    ("sweep", sweep),
    ("merge", merge),
    ("plot", plot),
    ("report", report),
    ("diff", diff),
    ("sensitivity", sensitivity),
    ("tune", tune),
    ("reproduce", reproduce),
    ("replay", replay),
    ("events", events),
    ("tc", tc),
    ("check", check),
    ("list", list_),
    ("drive", drive),
    ("validate", validate),
)
"""All commands, in the order in which `sojourn --help` lists them."""

for _name, _function in COMMANDS:
    app.command(_name, epilog=manual.epilog(_function))(_function)


def main() -> None:
    """Run the program."""
    try:
        app()
    except ScenarioError as error:
        _fail(str(error), 2)
    except LedgerError as error:
        _fail(f"{error}\nThis is a fault of sojourn, not of the scenario. Please report it.", 1)
    except UserCodeError as error:
        _fail(str(error), 1)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if not isinstance(error, MissingExtra) and library not in LIBRARIES:
            raise
        is_told = isinstance(error, MissingExtra)
        _fail(str(error) if is_told else missing(library, LIBRARIES[library]), 2)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        _fail(f"{error.filename or 'sojourn'}: {error.strerror or error}", 1)


def _fail(message: str, status: int) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)
