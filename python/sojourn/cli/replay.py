"""``sojourn replay``: a capture through one or several disciplines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.endings import fail
from sojourn.cli.open_loop import show
from sojourn.cli.options import (
    JsonOption,
    LimitOption,
    OverheadOption,
    SeedOption,
    SeriesOption,
)
from sojourn.cli.status import INTERRUPTED

EXAMPLES = (
    (
        "a capture through two queues",
        "sojourn replay uplink.pcapng --rate '8 Mbit/s' --queue codel --queue droptail",
    ),
    (
        "what one host sent, of a capture of both directions",
        "sojourn replay uplink.pcapng --rate '8 Mbit/s' --queue codel --sender 192.0.2.7",
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
            help="A queue: 'discipline=codel,target=5 ms', or in short 'codel,target=5 ms'; "
            "'module:Class' is one of your own. May be repeated: all see exactly the same "
            "arrivals.",
            show_default=False,
        ),
    ],
    delay: Annotated[
        str, typer.Option(metavar="TIME", help="Propagation delay of the link.")
    ] = "0 s",
    overhead: OverheadOption = "0 B",
    limit: LimitOption = None,
    seed: SeedOption = None,
    series: SeriesOption = None,
    flows: Annotated[
        int,
        typer.Option(min=1, help="How many flows are told apart; later ones are counted together."),
    ] = 1000,
    interface: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Take this interface of a pcapng file only.", show_default=False
        ),
    ] = None,
    sender: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS[/PREFIX]",
            help="Take the packets of a capture that this address or network sent, and no others. "
            "May be repeated.",
            show_default=False,
        ),
    ] = None,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="Accept a file that ends in the middle of a packet, up to there."
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
    """Send a capture through queues, open loop: what would each have done with these arrivals?

    Nothing reacts: packets arrive as they were captured, whatever is dropped. After the last
    arrival each link runs until it is empty. Captures of any size are read packet by packet.
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
                sender=sender or None,
                partial=partial,
                progress=shown,
            )
        except KeyboardInterrupt:
            raise fail("interrupted: nothing was written", INTERRUPTED) from None
    title = f"{replayed.capture} at {rate}: {replayed.packets} packets in "
    title += f"{replayed.last_arrival_s:.3f} s"
    show(replayed, title, out=out, usual=Path("results") / "replay", json_=json_)
