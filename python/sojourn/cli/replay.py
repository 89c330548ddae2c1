"""``sojourn replay``: a capture through one or several disciplines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sojourn.cli.commands import INTERRUPTED
from sojourn.cli.options import JsonOption, SeedOption, fail
from sojourn.errors.extras import MissingExtra, needed

if TYPE_CHECKING:
    import polars as pl

    from sojourn.replay import Replayed

SHOWN = {
    "utilization": ("utilisation", 1.0, 3),
    "loss_ratio": ("loss", 1.0, 4),
    "marks_packets": ("marks", 1.0, 0),
    "queue_mean_packets": ("queue packets", 1.0, 2),
    "queue_max_packets": ("max", 1.0, 0),
    "queueing_delay_mean_s": ("delay ms", 1e3, 3),
    "queueing_delay_p95_s": ("p95 ms", 1e3, 3),
    "queueing_delay_p99_s": ("p99 ms", 1e3, 3),
}
"""Metric of a link -> heading, factor and decimals in the table on the terminal."""

SHOWN_FLOW = {
    "sent_packets": ("arrivals", 1.0, 0),
    "loss_ratio": ("loss", 1.0, 4),
    "delay_mean_s": ("delay ms", 1e3, 3),
    "delay_p95_s": ("p95 ms", 1e3, 3),
    "delay_p99_s": ("p99 ms", 1e3, 3),
}
"""The same of a flow."""

MOST_FLOWS = 8
"""So many flows are shown on the terminal: those with the most packets."""


EXAMPLES = (
    (
        "a capture through two queues",
        "sojourn replay uplink.pcapng --rate '8 Mbit/s' --queue codel --queue droptail",
    ),
    (
        "a table of arrivals",
        "sojourn replay arrivals.csv --rate '2 Mbit/s' --queue 'red,limit=50 packets' "
        "--out results/replay",
    ),
)
"""What its manual page shows: what for, and the command."""


def replay(
    capture: Annotated[
        Path,
        typer.Argument(
            help="pcap, pcapng, or CSV with a header time_s,size_B[,flow][,ecn].",
            show_default=False,
        ),
    ],
    rate: Annotated[
        str, typer.Option(metavar="RATE", help="Rate of the link.", show_default=False)
    ],
    queue: Annotated[
        list[str],
        typer.Option(
            metavar="QUEUE",
            help="A queue: 'discipline=codel,target=5 ms', or in short 'codel,target=5 ms'. "
            "May be repeated: all see the very same arrivals.",
            show_default=False,
        ),
    ],
    delay: Annotated[
        str, typer.Option(metavar="TIME", help="Propagation delay of the link.")
    ] = "0 s",
    overhead: Annotated[
        str,
        typer.Option(metavar="SIZE", help="Framing of each packet: counts for serialisation only."),
    ] = "0 B",
    limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Limit of every queue that names none; default: each discipline's own.",
            show_default=False,
        ),
    ] = None,
    seed: SeedOption = None,
    series: Annotated[
        str | None,
        typer.Option(
            metavar="INTERVAL",
            help="Interval of the series: 10 ms; default: so that about a thousand values remain.",
            show_default=False,
        ),
    ] = None,
    flows: Annotated[
        int,
        typer.Option(min=1, help="Flows that are told apart; later ones are counted together."),
    ] = 1000,
    interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Take this interface of a pcapng file only.", show_default=False
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Take a file that ends in the middle of a packet up to there."
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Write tables, summary and figures here; default: the figures alone, into "
            "results/replay.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Send a capture through queues, open loop: what would each have made of these arrivals?

    Nothing reacts: packets arrive as they did then, whatever is dropped. After the last arrival
    each link runs until it is empty. Captures of any size are read packet by packet.
    """
    from sojourn import replay as replays
    from sojourn.cli import progress

    with progress.shown(f"replay {capture.name}", unit="MB", per_unit=1_000_000) as shown:
        try:
            replayed = replays.replay(
                capture,
                queue,
                rate,
                delay=delay,
                overhead=overhead,
                limit=limit,
                seed=1 if seed is None else seed,
                series=series,
                flows=flows,
                interface=interface,
                partial=partial,
                progress=shown,
            )
        except KeyboardInterrupt:
            raise fail("interrupted: nothing was written", INTERRUPTED) from None
    for warning in replayed.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    written = _write(replayed, out)
    if json_:
        json.dump(replayed.summary(), sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
        print()
    else:
        _print(replayed, rate)
    for path in written:
        print(path, file=sys.stderr)


def _write(replayed: Replayed, out: Path | None) -> list[Path]:
    """Write tables, where they are asked for, and figures; return the paths."""
    from sojourn.experiments.place import writing

    draw = _drawing() if replayed.packets > 0 else None
    if out is None and draw is None:
        return []
    folder = out or Path("results") / "replay"
    with writing(folder):
        written = replayed.write(folder) if out is not None else []
        if draw is not None:
            written += draw(replayed, folder)
    return written


def _drawing() -> Callable[[Replayed, Path], list[Path]] | None:
    """What draws the figures, or a line on why there are none: the tables stand without them."""
    try:
        with needed("plots"):
            from sojourn.plots.replay import save_all
    except MissingExtra as error:
        print(f"no figures: {error}", file=sys.stderr)
        return None
    return save_all


def _print(replayed: Replayed, rate: str) -> None:
    import polars as pl
    from rich.table import Table

    from sojourn.cli.console import printer

    console = printer(highlight=False)
    title = f"{replayed.capture} at {rate}: {replayed.packets} packets in "
    title += f"{replayed.last_arrival_s:.3f} s"
    table = Table(title=title, title_justify="left")
    table.add_column("queue", overflow="fold")
    for heading, _, _ in SHOWN.values():
        table.add_column(heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for row in replayed.queues.iter_rows(named=True):
        reasons = _reasons(replayed.drops, row["queue"])
        table.add_row(row["queue"], *_cells(row, SHOWN), reasons)
    console.print(table)
    if replayed.flows.is_empty():
        return
    largest = replayed.flows.group_by("flow", maintain_order=True).agg(pl.max("sent_packets"))
    shown = largest.sort("sent_packets", descending=True, maintain_order=True)["flow"]
    table = Table(title="Flows", title_justify="left", caption_justify="left")
    for heading in ("flow", "queue"):
        table.add_column(heading, overflow="fold")
    for heading, _, _ in SHOWN_FLOW.values():
        table.add_column(heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for flow in shown[:MOST_FLOWS]:
        rows = replayed.flows.filter(flow=flow)
        for place, row in enumerate(rows.iter_rows(named=True)):
            reasons = _reasons(replayed.drops.filter(flow=flow), row["queue"])
            name = flow if place == 0 else ""
            table.add_row(name, row["queue"], *_cells(row, SHOWN_FLOW), reasons)
    if len(shown) > MOST_FLOWS:
        table.caption = f"{MOST_FLOWS} of {len(shown)} flows, by their packets; --out has all"
    console.print(table)


def _reasons(drops: pl.DataFrame, queue: str) -> str:
    """Say how many packets were dropped for which reason."""
    counts: dict[str, int] = {}
    for row in drops.filter(queue=queue, kind="drop").iter_rows(named=True):
        counts[row["reason"]] = counts.get(row["reason"], 0) + row["packets"]
    return ", ".join(f"{packets} {reason}" for reason, packets in counts.items()) or "-"


def _cells(row: dict[str, float | None], shown: dict[str, tuple[str, float, int]]) -> list[str]:
    """Write the values of a row as people read them."""
    values = [(row[name], factor, decimals) for name, (_, factor, decimals) in shown.items()]
    return [
        "-" if value is None else f"{value * factor:.{decimals}f}"
        for value, factor, decimals in values
    ]
