"""``sojourn events``: the log of every packet, and one decision in full."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.endings import fail
from sojourn.cli.notes import note, print_warnings
from sojourn.cli.options import ScenarioArgument, SeedOption, SetOption, parse_settings
from sojourn.cli.status import INTERRUPTED
from sojourn.errors.extras import needed

if TYPE_CHECKING:
    from sojourn.scenario import Scenario

EXAMPLES = (
    (
        "every packet as a table",
        "sojourn events scenarios/red-against-droptail.toml --out results/events",
    ),
    (
        "and a page about the seventh drop or mark",
        "sojourn events scenarios/red-against-droptail.toml --point 5 --out results/events "
        "--show 7",
    ),
)
"""What its manual page shows: what for, and the command."""


def events(
    file: ScenarioArgument,
    out: Annotated[
        Path,
        typer.Option(
            file_okay=False, help="Write events.parquet and the page here.", show_default=False
        ),
    ],
    settings: SetOption = None,
    seed: SeedOption = None,
    point: Annotated[int, typer.Option(min=0, help="Which point of [vary], from 0.")] = 0,
    replica: Annotated[int, typer.Option(min=0, help="Which replica, from 0.")] = 0,
    show: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="K",
            help="Also write decision-K.html: the K-th drop or mark in full, from 1.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Log every packet of one run: a row for each event, as Parquet.

    Every drop and mark comes with its reason and with the discipline's inner variables just before
    and just after it decided. `--show K` writes a page about one of them: the packet, the queue,
    the variables, the rule that applied.
    """
    from sojourn.experiments.output_folder import at_work
    from sojourn.lookup import find

    scenario = find(file, parse_settings(settings))
    if seed is not None:
        scenario = scenario.with_overrides({"seed": seed})
    print_warnings(scenario)
    with at_work(out):
        written = _write(scenario, out, point, replica, show)
    for path in written:
        note(str(path))


def _write(scenario: Scenario, out: Path, point: int, replica: int, show: int | None) -> list[Path]:
    """Write the log, and the page that is asked for; return the paths."""
    from sojourn.cli import progress
    from sojourn.events import find_decision, log_events

    with progress.shown(f"events of {scenario.name}", unit="%", per_unit=10) as shown:
        try:
            log = log_events(scenario, out, point=point, replica=replica, progress=shown)
        except KeyboardInterrupt:
            raise fail("interrupted: nothing was written", INTERRUPTED) from None
    from sojourn.files.written import record

    written = [log]
    # Pages about another log go at once, and those about this one stay beside each other.
    record(out, written, of=log)
    if show is not None:
        with needed("report"):
            from sojourn.report.decision import write

        written += write(find_decision(log, show), scenario, point, out)
        record(out, written, of=log)
    return written
