"""The ``sojourn`` program: its commands, and what its exit status means.

0: done (a verdict "disagrees" is a result, not a failure); 2: the input is wrong; 130:
interrupted, what is finished is kept; 1: anything else.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
import warnings
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from sojourn._core import LedgerError, ScenarioError, UserCodeError, __version__
from sojourn.cli.commands import Commands
from sojourn.cli.names import in_options
from sojourn.cli.status import FAILED, INTERRUPTED, WRONG_INPUT
from sojourn.errors.brief import InputError
from sojourn.errors.extras import LIBRARIES, MissingExtra, missing
from sojourn.own import classes, stdout
from sojourn.own.hooks import HookWarning
from sojourn.signals import ENDINGS, Repeats

app = typer.Typer(
    name="sojourn",
    cls=Commands,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
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


def program() -> None:
    """Run the program in a process of its own."""
    # Modules and tables are many objects and hardly a cycle: to look for these after every few
    # hundred objects costs a short sweep more than it frees. So it does at the end.
    gc.set_threshold(50_000)
    atexit.register(_leave_to_the_system)
    _end_by_any_signal()
    _print_what_can_be()
    stdout.keep_output()
    try:
        main()
    except SystemExit as end:
        if end.code == INTERRUPTED:
            _hear_no_more()
            _leave_behind_what_hears_nothing()
        raise
    finally:
        _close_output()


def main() -> None:
    """Run the program."""
    warnings.showwarning = _warn
    # Python has none where whoever called has closed it: nothing could be printed after the work.
    if sys.stdout is None:
        _fail("stdout: found it closed; allowed: open, if only to /dev/null", FAILED)
    try:
        app()
    except ScenarioError as error:
        _fail(in_options(str(error)), WRONG_INPUT)
    except InputError as error:
        _fail(str(error), WRONG_INPUT)
    except LedgerError as error:
        fault = "This is a fault of sojourn, not of the scenario. Please report it."
        _fail(f"{error}\n{fault}", FAILED)
    except UserCodeError as error:
        _fail(str(error), FAILED)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if not isinstance(error, MissingExtra) and library not in LIBRARIES:
            raise
        is_told = isinstance(error, MissingExtra)
        _fail(str(error) if is_told else missing(library, LIBRARIES[library]), WRONG_INPUT)
    except BrokenPipeError:
        # Whoever read our output has gone; nothing is left to say to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(FAILED)
    except OSError as error:
        _fail(f"{error.filename or 'sojourn'}: {error.strerror or error}", FAILED)


def _end_by_any_signal() -> None:
    """By SIGTERM, as batch systems send it, and by SIGHUP, as when a terminal is closed, the
    program ends as by Ctrl-C: it keeps what it has.

    What comes twice is heard once: the second would end what keeps it.
    """
    repeats = Repeats()

    def interrupt(*_: object) -> None:
        if not repeats.has_come():
            raise KeyboardInterrupt

    for one in ENDINGS:
        if signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler):
            signal.signal(one, interrupt)


def _hear_no_more() -> None:
    """All is kept, and what else comes would change the exit status."""
    for one in ENDINGS:
        signal.signal(one, signal.SIG_IGN)


def _print_what_can_be() -> None:
    """Where the locale lacks signs of a table or a name, others stand for them: no run is lost.

    Python has no stderr where whoever called has closed it, and would print its lines on stdout.
    """
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 as long as the program runs
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _close_output() -> None:
    """What classes of the user print from here on is not part of the command's own output."""
    # Where it cannot be written Python says so as it ends.
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.flush()
        sys.stdout = sys.__stdout__ = sys.stderr


def _leave_behind_what_hears_nothing() -> None:
    """End here and now after Ctrl-C, where a class of the user never comes back from a call.

    Its thread would keep the program from ending, and crash it where that is interrupted too.
    """
    others = (one for one in threading.enumerate() if one is not threading.main_thread())
    if any(not one.daemon for one in others):
        _close_output()
        os._exit(INTERRUPTED)


def _leave_to_the_system() -> None:
    """Clear nothing that goes with the process, unless modules of the user count on it."""
    if classes.has_imported():
        classes.forget()
    else:
        gc.freeze()


def _warn(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning about a class of the user as all others are printed."""
    if issubclass(category, HookWarning):
        print(f"warning: {message}", file=sys.stderr)
    else:
        print(warnings.formatwarning(message, category, *place[:2]), file=sys.stderr, end="")


def _fail(message: str, status: int) -> NoReturn:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(status)
