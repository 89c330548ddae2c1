"""``sojourn sensitivity``: which parameter matters."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.endings import failures
from sojourn.cli.notes import note
from sojourn.cli.options import ClusterOption, JobsOption, JsonOption, SetOption, parse_settings

if TYPE_CHECKING:
    from sojourn.experiments.sensitivity import Sensitivity


class MethodName(StrEnum):
    """Methods."""

    MORRIS = "morris"
    SOBOL = "sobol"


EXAMPLES = (
    (
        "the effect of every open range on the mean delay",
        "sojourn sensitivity what-matters.toml --out results/matters --of total.delay_mean_s",
    ),
    (
        "shares of the variance, with interactions",
        "sojourn sensitivity what-matters.toml --out results/sobol --method sobol",
    ),
)
"""What its manual page shows: what for, and the command."""


def sensitivity(
    file: Annotated[
        Path, typer.Argument(help="A scenario file with open ranges: { from = ..., to = ... }.")
    ],
    out: Annotated[
        Path,
        typer.Option(file_okay=False, help="The folder of the experiment, created if missing."),
    ],
    of: Annotated[
        list[str] | None,
        typer.Option(
            metavar="QUANTITY",
            help="A result, such as links.bottleneck.queueing_delay_mean_s. May be repeated; "
            "default: total.delay_mean_s and total.goodput_bps.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        MethodName,
        typer.Option(help="morris: cheap, finds what matters; sobol: shares of the variance."),
    ] = MethodName.MORRIS,
    samples: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Trajectories of morris, by default 20; base samples of sobol, a power of two, by "
            "default 128.",
            show_default=False,
        ),
    ] = None,
    settings: SetOption = None,
    jobs: JobsOption = None,
    cluster: ClusterOption = None,
    json_: JsonOption = False,
) -> None:
    """Show which of the open ranges of a scenario its results depend on.

    The ranges of [vary] without a step are open. Finished runs are kept: the same command resumes
    the analysis.
    """
    if method is MethodName.SOBOL and samples is not None and samples & (samples - 1):
        message = f"found {samples}; allowed with sobol: a power of two"
        raise typer.BadParameter(message, param_hint="--samples")
    with failures(out):
        from sojourn.cli import progress
        from sojourn.experiments import sensitivity as analysis
        from sojourn.experiments.space import Space
        from sojourn.experiments.trying import trying

        space = Space.load(file, parse_settings(settings))
        with (
            progress.shown(space.scenario.name) as shown,
            trying(out, jobs=jobs, cluster=cluster, progress=shown, note=note) as evaluator,
        ):
            found = analysis.sensitivity(
                space, evaluator, of=of or analysis.USUAL, method=method.value, samples=samples
            )
        for path in found.write(out):
            note(str(path))
    if json_:
        document = {"method": found.method, "tries": found.tries, "table": found.table.to_dicts()}
        print(json.dumps(document, indent=1))
    else:
        _print(found)


def _print(found: Sensitivity) -> None:
    from rich.table import Table

    from sojourn.cli.console import printer
    from sojourn.plots.quantities import axis_label

    for (quantity, case), rows in found.table.group_by("quantity", "case", maintain_order=True):
        kind = axis_label(str(quantity).rpartition(".")[2])
        title = ", ".join(part for part in (str(quantity), str(case)) if part)
        table = Table(title=title, title_justify="left", pad_edge=False)
        table.add_column("parameter")
        unit = f" ({kind.unit})" if kind.unit and found.method == "morris" else ""
        for heading in _HEADINGS[found.method]:
            table.add_column(heading + unit, justify="right")
        for row in rows.iter_rows(named=True):
            table.add_row(row["parameter"], *_cells(found.method, row, kind.factor))
        printer().print(table)


_HEADINGS = {
    "morris": ("effect of the whole range", "mean effect", "deviation"),
    "sobol": ("total share of the variance", "share by itself"),
}


def _cells(method: str, row: dict[str, Any], factor: float) -> tuple[str, ...]:
    if method == "sobol":
        return (
            f"{row['ST']:.3f} ± {row['ST_conf']:.3f}",
            f"{row['S1']:.3f} ± {row['S1_conf']:.3f}",
        )
    return (
        f"{row['mu_star'] * factor:.4g} ± {row['mu_star_conf'] * factor:.2g}",
        f"{row['mu'] * factor:.4g}",
        f"{row['sigma'] * factor:.4g}",
    )
