"""``sojourn drive``: one bare discipline under an explicit clock."""

from __future__ import annotations

import sys
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, TextIO

import typer

from sojourn._core import Driver, ScenarioError
from sojourn.own.stdout import redirected_to_stderr

EXAMPLES = (
    (
        "a conversation on stdin",
        'echo \'{"cmd":"new","discipline":"red","params":{"limit_packets":50}}\' | sojourn drive',
    ),
    ("requests from a file", "sojourn drive requests.jsonl"),
)
"""What its manual page shows: what for, and the command."""


def drive(
    file: Annotated[
        Path | None,
        typer.Argument(help="Read the requests from here; default: stdin.", show_default=False),
    ] = None,
) -> None:
    """Talk to a discipline in JSON lines: a reply to each request, no clock but the given times."""
    driver = Driver()
    requests = _standard_input() if file is None else _open(file)
    with requests:
        for request in requests:
            if request.strip():
                with redirected_to_stderr():
                    answer = driver.answer(request)
                sys.stdout.write(answer + "\n")
                sys.stdout.flush()


def _standard_input() -> TextIO:
    """Standard input, in which bytes that are no text make a malformed request and no more."""
    if sys.stdin is None:  # Python has none where whoever called has closed it.
        raise ScenarioError("stdin: found it closed; allowed: open, or a file of requests")
    if isinstance(sys.stdin, TextIOWrapper):  # It may be another's in a program that calls this.
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    return sys.stdin


def _open(file: Path) -> TextIO:
    try:
        return file.open(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise ScenarioError(f"{file}: cannot read it: {reason}") from None
