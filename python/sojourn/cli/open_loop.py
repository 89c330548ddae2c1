"""What bare queues made of packets, as commands show it: tables, files, figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.cli.notes import note, warn
from sojourn.errors.extras import MissingExtra, needed

if TYPE_CHECKING:
    import polars as pl

    from sojourn.open_loop import OpenLoop

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


def show(found: OpenLoop, title: str, *, out: Path | None, usual: Path, json_: bool) -> None:
    """Warn, write into ``out`` or the figures alone into the ``usual`` folder, and print.

    It is printed even where it cannot be written: to find it again may take long.
    """
    for warning in found.warnings:
        warn(warning)
    try:
        written = _write(found, out, usual)
    finally:
        if json_:
            json.dump(found.summary(), sys.stdout, indent=1, ensure_ascii=False, allow_nan=False)
            print()
        else:
            _print(found, title)
    for path in written:
        note(str(path))


def _write(found: OpenLoop, out: Path | None, usual: Path) -> list[Path]:
    """Write tables, where they are asked for, and figures; return the paths."""
    from sojourn.experiments.output_folder import writing

    draw = None if found.flows.is_empty() else _drawing()
    if out is None and draw is None:
        return []
    folder = out or usual
    with writing(folder):
        written = found.write(folder) if out is not None else []
        if draw is not None:
            written += draw(found, folder)
    return written


def _drawing() -> Callable[[OpenLoop, Path], list[Path]] | None:
    """What draws the figures, or a line on why there are none: the tables stand without them."""
    try:
        with needed("plots"):
            from sojourn.plots.open_loop import save_all
    except MissingExtra as error:
        note(f"no figures: {error}")
        return None
    return save_all


def _print(found: OpenLoop, title: str) -> None:
    import polars as pl
    from rich.table import Table

    from sojourn.cli.console import printer

    console = printer(highlight=False)
    table = Table(title=title, title_justify="left")
    table.add_column("queue", overflow="fold")
    for heading, _, _ in SHOWN.values():
        table.add_column(heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for row in found.queues.iter_rows(named=True):
        reasons = _reasons(found.drops, row["queue"])
        table.add_row(row["queue"], *_cells(row, SHOWN), reasons)
    console.print(table)
    if found.flows.is_empty():
        return
    largest = found.flows.group_by("flow", maintain_order=True).agg(pl.max("sent_packets"))
    shown = largest.sort("sent_packets", descending=True, maintain_order=True)["flow"]
    table = Table(title="Flows", title_justify="left", caption_justify="left")
    for heading in ("flow", "queue"):
        table.add_column(heading, overflow="fold")
    for heading, _, _ in SHOWN_FLOW.values():
        table.add_column(heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for flow in shown[:MOST_FLOWS]:
        rows = found.flows.filter(flow=flow)
        for place, row in enumerate(rows.iter_rows(named=True)):
            reasons = _reasons(found.drops.filter(flow=flow), row["queue"])
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
