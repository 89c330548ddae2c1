"""``sojourn tune``: search the parameters of a discipline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.endings import failures
from sojourn.cli.notes import note
from sojourn.cli.options import ClusterOption, JobsOption, JsonOption, SetOption, parse_settings
from sojourn.errors.extras import needed
from sojourn.wording import counted

if TYPE_CHECKING:
    from sojourn.experiments.tuning import Direction, Ratio, Tuning


EXAMPLES = (
    ("shorter delay, more goodput", "sojourn tune tune-red.toml --out results/tune-red"),
    (
        "other objectives, longer search",
        "sojourn tune tune-red.toml --out results/tune-red --minimise "
        "links.bottleneck.queueing_delay_p95_s --maximise total.goodput_bps --trials 128",
    ),
)
"""What its manual page shows: what for, and the command."""


def tune(
    file: Annotated[Path, typer.Argument(help="A scenario file; its open ranges are searched.")],
    out: Annotated[
        Path, typer.Option(file_okay=False, help="The folder of the search, created if missing.")
    ],
    minimise: Annotated[
        list[str] | None,
        typer.Option(metavar="QUANTITY", help="An objective. May be repeated.", show_default=False),
    ] = None,
    maximise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUANTITY",
            help="An objective. May be repeated; without any: total.delay_mean_s is minimised and "
            "total.goodput_bps maximised.",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[int, typer.Option(min=1, help="How many settings are tried.")] = 64,
    held_out: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A scenario that the search does not see, to rule out over-fitting. May be "
            "repeated; default: every third case of the file itself.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    json_: JsonOption = False,
) -> None:
    """Search the parameters of a discipline and show what can be gained over the defaults.

    The ranges of [vary] without a step are open; its other keys make the cases under which every
    setting is tried. Finished runs are kept: the same command resumes the search.
    """
    for quantity in minimise or []:
        if quantity in (maximise or []):
            allowed = "one of them for each quantity"
            raise typer.BadParameter(
                f"found {quantity}, which is minimised too; allowed: {allowed}",
                param_hint="--maximise",
            )
    with failures(out):
        from sojourn.cli import progress
        from sojourn.experiments.manifest import TUNING
        from sojourn.experiments.space import Space
        from sojourn.experiments.trying import trying
        from sojourn.experiments.tune import tune as search
        from sojourn.files.whole import write_whole

        objectives: dict[str, Direction] = dict.fromkeys(minimise or [], "minimise")
        objectives |= dict.fromkeys(maximise or [], "maximise")
        pairs = parse_settings(settings)
        space = Space.load(file, pairs)
        others = [Space.load(each, pairs, needed=False) for each in held_out or []]
        with (
            progress.shown(space.scenario.name) as shown,
            trying(out, jobs=jobs, cluster=cluster, progress=shown, note=note) as evaluator,
        ):
            found = search(
                space,
                evaluator,
                objectives=objectives or None,
                trials=trials,
                held_out=others,
                note=note,
            )
        document = found.document()
        path = out / TUNING
        write_whole(path, [f"{json.dumps(document, indent=1)}\n".encode()])
        paths = [path]
        if len(found.objectives) > 1:
            with needed("plots"):
                from sojourn.plots.save import save

            paths += save(found.plot(), found.figure_frame(), out / "figures", "front").values()
        for path in paths:
            note(str(path))
    if json_:
        print(json.dumps(document, indent=1))
    else:
        _print(found)


def _print(found: Tuning) -> None:
    from rich.table import Table

    from sojourn.cli.console import printer
    from sojourn.plots.quantities import axis_label
    from sojourn.wording import in_full, short_names

    console = printer()
    cases, held = len(found.seen_cases), len(found.held_out_cases)
    console.print(
        f"{len(found.trials)} settings tried under {counted(cases, 'case')}; "
        f"{len(found.front)} of them are beaten by no other. Ratios to the defaults, with 95 % "
        "intervals:"
    )
    table = Table(pad_edge=False)
    for name in short_names(found.front[0].values if found.front else ()).values():
        table.add_column(name, no_wrap=True)
    for quantity, direction in found.objectives.items():
        words = axis_label(quantity.rpartition(".")[2]).words
        table.add_column(f"{words}, {direction}d: seen", justify="right")
        if held:
            table.add_column("held out", justify="right", no_wrap=True)
    for each in found.front:
        cells = [in_full(value) for value in each.values.values()]
        for quantity in found.objectives:
            cells.append(_cell(found, (each.seen or {})[quantity], quantity))
            if each.held_out is not None:
                cells.append(_cell(found, each.held_out[quantity], quantity))
        table.add_row(*cells)
    console.print(table)
    better, where = len(found.better_in_all), "held out" if held else "seen"
    console.print(
        f"Better than the defaults in every objective, on what was {where}: {better or 'none'}."
    )
    if held:
        console.print(f"Held out: {counted(held, 'case')} that the search saw nothing of.")
    else:
        console.print(
            "Nothing was held out: give --held-out FILE, or three cases or more, before you trust "
            "the ratios."
        )


def _cell(found: Tuning, interval: Ratio, quantity: str) -> str:
    if interval.mean is None:
        return "undefined"
    is_known = interval.low is not None and interval.high is not None
    # Of a ratio the mean does not lie in the middle.
    ends = f" ({interval.low:.4f} to {interval.high:.4f})" if is_known else ""
    word = {True: " better", False: " worse", None: ""}[found.is_better(interval, quantity)]
    return f"{interval.mean:.4f}{ends}{word}"
