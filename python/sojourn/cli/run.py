"""``sojourn run``: run a scenario file or a study's scenario."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.console import print_summary
from sojourn.cli.endings import interrupted
from sojourn.cli.notes import note, print_interval_warning, print_warnings, warn
from sojourn.cli.options import (
    IntervalName,
    IntervalOption,
    JobsOption,
    JsonOption,
    PrecisionOption,
    ReplicasOption,
    ScenarioArgument,
    SeedOption,
    SetOption,
    parse_settings,
)
from sojourn.cli.results_folder import place_for, written_first


class TraceFormat(StrEnum):
    """Trace formats."""

    NS2 = "ns2"
    PCAPNG = "pcapng"


TRACE_FILES = {TraceFormat.NS2: "trace*.tr", TraceFormat.PCAPNG: "trace*.pcapng"}
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
    (
        "one point alone",
        "sojourn run scenarios/red-against-droptail.toml --point 1 --replicas 10",
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
    file: ScenarioArgument,
    settings: SetOption = None,
    seed: SeedOption = None,
    replicas: ReplicasOption = None,
    precision: PrecisionOption = None,
    point: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="This point of [vary] alone, from 0, as it is among all others; default: all.",
            show_default=False,
        ),
    ] = None,
    interval: IntervalOption = IntervalName.STUDENT,
    jobs: JobsOption = None,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Write tables (Parquet), summary and traces here.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
    trace: Annotated[
        TraceFormat | None,
        typer.Option(
            help="Write a trace of every run into --out (default: results/NAME): ns2, one file for "
            "all links; pcapng, for Wireshark and tshark, a file for each link.",
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
        typer.Option("--trace-payload", help="Store the payload in captures too, all zeros."),
    ] = False,
    all_links: Annotated[
        bool,
        typer.Option(
            "--all-links",
            help="Show every link that a packet came to; default: those that lose packets or let "
            "them wait, and at most a hundred.",
        ),
    ] = False,
) -> None:
    """Run every point and replica of a scenario and print what its links and flows did.

    Every metric is a mean over the replicas with its 95 % Student interval. Ctrl-C ends the runs
    in progress and keeps what is finished (exit status 130).
    """
    # Tables and statistics take their time to import: only here, not for `--help`.
    from sojourn.cli import progress
    from sojourn.cli.run_tables import print_tables
    from sojourn.lookup import prepared
    from sojourn.runner import outcomes_of
    from sojourn.traces import Traces

    scenario = prepared(file, parse_settings(settings), replicas, seed, precision=precision)
    print_warnings(scenario)
    if point is not None:
        scenario.check_point(point, "--point")
    if trace is not TraceFormat.PCAPNG:
        for option, given in (("--trace-link", trace_link), ("--trace-payload", trace_payload)):
            if given:
                raise typer.BadParameter("allowed: only with --trace pcapng", param_hint=option)
    traces = None
    if trace is not None:
        out = out or Path("results") / scenario.name
        traces = Traces(out, trace.value, trace_link or (), trace_payload)
        traces.check(scenario)
    with place_for(out, scenario):
        before = _stamps(out, trace)
        with progress.shown(scenario.name) as shown:
            outcomes = outcomes_of(scenario, jobs, shown, traces, point)
        print_interval_warning(interval, outcomes.points)
        traced = sorted(
            path for path, stamp in _stamps(out, trace).items() if stamp != before.get(path)
        )

        def write() -> list[Path]:
            # Where no run has finished there is nothing to put in the place of earlier results.
            if out is None or not outcomes.each:
                return []
            from sojourn.results import of_outcomes

            return of_outcomes(outcomes).write(out, traces=traced)

        with written_first(write) as written:
            for warning in outcomes.warnings:
                warn(warning)
            if json_:
                print_summary(outcomes.summary(interval.value))
            elif outcomes.each:
                print_tables(outcomes, interval.value, all_links=all_links)
            for path in [*written, *traced]:
                note(str(path))
        if outcomes.interrupted:
            asked = None if point is None else {point}
            raise interrupted(scenario, outcomes.points, "only these are counted", asked)


def _stamps(out: Path | None, trace: TraceFormat | None) -> dict[Path, tuple[int, ...]]:
    """The traces in a folder with what tells a file from the one that was there before."""
    if out is None or trace is None:
        return {}
    stats = {path: path.stat() for path in out.glob(TRACE_FILES[trace])}
    return {path: (one.st_mtime_ns, one.st_ino, one.st_size) for path, one in stats.items()}
