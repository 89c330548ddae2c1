"""``sojourn run``: run a scenario file or a study's scenario."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sojourn.cli.options import (
    IntervalName,
    IntervalOption,
    JobsOption,
    JsonOption,
    PrecisionOption,
    ReplicasOption,
    SeedOption,
    SetOption,
    parse_settings,
    print_interval_warning,
    print_warnings,
)

if TYPE_CHECKING:
    from sojourn.results import Results

SHOWN_LINK_METRICS = {
    "utilization": ("utilisation", 1.0, 3),
    "throughput_bps": ("throughput Mbit/s", 1e-6, 3),
    "loss_ratio": ("loss", 1.0, 4),
    "queue_mean_packets": ("queue packets", 1.0, 2),
    "queueing_delay_mean_s": ("delay ms", 1e3, 3),
    "queueing_delay_p95_s": ("p95 ms", 1e3, 3),
}
"""Metric -> heading, factor and decimals in the table on the terminal."""


WIDTH = 160
"""Columns of the table where there is no terminal to ask."""


class Trace(StrEnum):
    """Trace formats."""

    NS2 = "ns2"
    PCAPNG = "pcapng"


TRACE_FILES = {Trace.NS2: "trace*.tr", Trace.PCAPNG: "trace*.pcapng"}
"""How the files of a format are called."""


EXAMPLES = (
    (
        "every point and replica; a table with intervals",
        "sojourn run scenarios/red-against-droptail.toml",
    ),
    (
        "another rate, more replicas",
        "sojourn run scenarios/mm1.toml --set link.server.rate='5 Mbit/s' --replicas 20",
    ),
    (
        "until every interval is within 5 % of its mean",
        "sojourn run scenarios/mm1.toml --precision 5%",
    ),
    ("one JSON document", "sojourn run scenarios/operator-uplink.toml --json"),
    (
        "captures of one link for Wireshark",
        "sojourn run scenarios/tcp-beside-cbr.toml --trace pcapng --trace-link "
        "bottleneck --out results/capture",
    ),
    ("the scenario of a study", "sojourn run eqm --replicas 2 --set duration='20 s'"),
)
"""What its manual page shows: what for, and the command."""


def run(
    file: Annotated[
        str, typer.Argument(metavar="FILE|STUDY", help="A scenario file, or a study's name.")
    ],
    settings: SetOption = None,
    seed: SeedOption = None,
    replicas: ReplicasOption = None,
    precision: PrecisionOption = None,
    interval: IntervalOption = IntervalName.STUDENT,
    jobs: JobsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Write tables (Parquet), summary and traces here.", show_default=False),
    ] = None,
    json_: JsonOption = False,
    trace: Annotated[
        Trace | None,
        typer.Option(
            help="Write a trace of every run into --out (default: results/NAME): ns2 for all links "
            "at once, pcapng for Wireshark and tshark, a file for each link.",
            show_default=False,
        ),
    ] = None,
    trace_link: Annotated[
        list[str] | None,
        typer.Option(
            "--trace-link",
            metavar="NAME",
            help="Capture this link only, in both directions. May be repeated.",
            show_default=False,
        ),
    ] = None,
    trace_payload: Annotated[
        bool,
        typer.Option("--trace-payload", help="Captures hold the payload too, all zeros."),
    ] = False,
) -> None:
    """Run every point and replica of a scenario and print its metrics.

    Every metric is a mean over the replicas with its 95 % Student interval. Ctrl-C ends the runs
    in progress and keeps what is finished (exit status 130).
    """
    # Frames and statistics take their time to import: only here, not for `--help`.
    from sojourn.cli import progress
    from sojourn.runner import find
    from sojourn.runner import run as run_scenario

    scenario = find(file).with_overrides(parse_settings(settings))
    print_warnings(scenario)
    if trace is not Trace.PCAPNG:
        for option, given in (("--trace-link", trace_link), ("--trace-payload", trace_payload)):
            if given:
                raise typer.BadParameter("allowed: only with --trace pcapng", param_hint=option)
    if trace is not None and out is None:
        out = Path("results") / scenario.name
    with progress.shown(scenario.name) as shown:
        results = run_scenario(
            scenario,
            seed=seed,
            replicas=replicas,
            precision=precision,
            jobs=jobs,
            progress=shown,
            trace_folder=out if trace is not None else None,
            trace_format=(trace or Trace.NS2).value,
            trace_links=trace_link or (),
            trace_payload=trace_payload,
        )
    print_interval_warning(interval, results)
    written = results.write(out) if out is not None else []
    if out is not None and trace is not None:
        written += sorted(out.glob(TRACE_FILES[trace]))
    for warning in results.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    if json_:
        json.dump(results.summary(interval.value), sys.stdout, indent=1, allow_nan=False)
        print()
    else:
        _print(results, interval)
    for path in written:
        print(path, file=sys.stderr)
    if not results.complete:
        print("interrupted: only finished runs are counted", file=sys.stderr)
        raise typer.Exit(130)


def _print(results: Results, interval: IntervalName) -> None:
    """Print a table of the links of each point."""
    from rich.console import Console
    from rich.table import Table

    summary = results.summary(interval.value)
    table = Table(title=results.scenario.title, title_justify="left", caption_justify="left")
    if len(results.runs) > results.scenario.core.points:
        counts = results.runs.group_by("point").len()["len"]
        fewest, most = counts.min(), counts.max()
        count = f"{most}" if fewest == most else f"{fewest} to {most}"
        table.caption = f"mean over {count} replicas ± half of the 95 % interval"
    keys = list(results.scenario.core.vary_keys)
    for heading in (*keys, "link"):
        table.add_column(heading, overflow="fold")
    for heading, _, _ in SHOWN_LINK_METRICS.values():
        table.add_column(heading, justify="right")
    names = {key: _names([point["vary"][key] for point in summary["points"]]) for key in keys}
    for point in summary["points"]:
        labels = [names[key][json.dumps(point["vary"][key])] for key in keys]
        for name, metrics in point["links"].items():
            if (metrics["arrivals_packets"]["mean"] or 0) > 0:
                table.add_row(*labels, name, *_cells(metrics))
    Console(width=None if sys.stdout.isatty() else WIDTH).print(table)


def _names(values: list[Any]) -> dict[str, str]:
    """Name the values of a key: a table by what tells it from the others."""
    distinct = {json.dumps(value): value for value in values}
    tables = [value for value in distinct.values() if isinstance(value, dict)]
    words = [table.get("discipline", table.get("source")) for table in tables]
    by_word = len(set(words)) == len(distinct) and None not in words
    return {
        key: str(words[number]) if by_word else _label(value)
        for number, (key, value) in enumerate(distinct.items())
    }


def _label(value: Any) -> str:
    """Write a value in full."""
    if isinstance(value, dict):
        return ", ".join(f"{key} = {item}" for key, item in value.items())
    return str(value)


def _cells(metrics: dict[str, Any]) -> list[str]:
    cells = []
    for name, (_, factor, decimals) in SHOWN_LINK_METRICS.items():
        metric = metrics[name]
        if metric["mean"] is None:
            cells.append("-")
            continue
        cell = f"{metric['mean'] * factor:.{decimals}f}"
        if metric["ci95"] is not None:
            half = (metric["ci95"][1] - metric["ci95"][0]) / 2
            cell += f" ± {half * factor:.{decimals}f}"
        cells.append(cell)
    return cells
