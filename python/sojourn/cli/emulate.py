"""``sojourn emulate``: real programs with a queue each way between them."""

from __future__ import annotations

import shlex
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from sojourn.cli.notes import note
from sojourn.cli.open_loop import show
from sojourn.cli.options import (
    JsonOption,
    LimitOption,
    OverheadOption,
    SeedOption,
    SeriesOption,
)
from sojourn.cli.status import FAILED, INTERRUPTED

EXAMPLES = (
    (
        "an upload through CoDel",
        "sojourn emulate --rate '10 Mbit/s' --rtt '40 ms' --queue codel --server 'iperf3 -s' "
        "-- iperf3 -c 198.18.0.2 -t 20",
    ),
    (
        "a slow uplink, a fast downlink, and a shell to try them in",
        "sojourn emulate --rate '1 Mbit/s' --down-rate '20 Mbit/s' --rtt '30 ms' --queue fq_codel "
        "--server 'python3 -m http.server' -- bash",
    ),
)
"""What its manual page shows: what for, and the command."""


def emulate(
    command: Annotated[
        list[str],
        typer.Argument(
            metavar="COMMAND",
            help="After --, what to run and its arguments; 198.18.0.2 is the other host.",
            show_default=False,
        ),
    ],
    rate: Annotated[
        str, typer.Option(metavar="RATE", help="Rate of the link, both ways.", show_default=False)
    ],
    queue: Annotated[
        str,
        typer.Option(
            metavar="QUEUE",
            help="Its queue, both ways: 'discipline=codel,target=5 ms', or 'codel,target=5 ms'; "
            "'module:Class' is one of your own.",
            show_default=False,
        ),
    ],
    rtt: Annotated[str, typer.Option(metavar="TIME", help="Propagation, there and back.")] = "0 s",
    down_rate: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="Rate towards COMMAND, if another.", show_default=False),
    ] = None,
    down_queue: Annotated[
        str | None,
        typer.Option(
            metavar="QUEUE", help="Queue towards COMMAND, if another.", show_default=False
        ),
    ] = None,
    server: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="What runs on the other host, such as 'iperf3 -s'.",
            show_default=False,
        ),
    ] = None,
    overhead: OverheadOption = "0 B",
    limit: LimitOption = None,
    seed: SeedOption = None,
    series: SeriesOption = None,
    flows: Annotated[
        int,
        typer.Option(
            min=1,
            help="How many flows are told apart each way; later ones are counted together.",
        ),
    ] = 1000,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Write tables, summary and figures here; default: the figures alone, into "
            "results/emulate.",
            show_default=False,
        ),
    ] = None,
    json_: JsonOption = False,
) -> None:
    """Run real programs with queues between them: what do disciplines do to real packets?

    COMMAND runs on a host of its own, 198.18.0.1, whose only link leads to another, 198.18.0.2.
    Each packet between them goes through the queue of its direction, in real time. When COMMAND
    ends, its packets are counted as those of a replay are. Needs Linux, iproute2 and util-linux,
    and root where /dev/net/tun is not open to all.
    """
    from sojourn.emulation import emulate as run
    from sojourn.emulation import ending
    from sojourn.experiments.output_folder import make

    if out is not None:
        make(out)
    done = run(
        command,
        queue,
        rate,
        server=server,
        rtt=rtt,
        down_queue=down_queue,
        down_rate=down_rate,
        overhead=overhead,
        limit=limit,
        seed=1 if seed is None else seed,
        series=series,
        flows=flows,
        output=sys.stderr if json_ else None,
    )
    title = f"{shlex.join(done.command)}: {done.end_s:.3f} s"
    late_s = (done.late_p50_s, done.late_p99_s, done.late_max_s)
    if None not in late_s:
        median, late, latest = (value * 1e3 for value in late_s if value is not None)
        title += f"; packets handed over {median:.3f} ms late at the median, {late:.3f} ms at p99, "
        title += f"{latest:.3f} ms at most"
    show(done, title, out=out, usual=Path("results") / "emulate", json_=json_)
    if done.status:
        note(f"{done.command[0]} ended with {ending(done.status)}")
    if done.status or done.cut_short:
        by_hand = done.interrupted or done.status == -signal.SIGINT
        raise typer.Exit(INTERRUPTED if by_hand else FAILED)
