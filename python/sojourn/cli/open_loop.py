"""What bare queues made of packets, as commands show it: tables, files, figures."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sojourn.cli.notes import note, warn
from sojourn.columns import Column
from sojourn.errors.extras import MissingExtra, needed

if TYPE_CHECKING:
    import polars as pl

    from sojourn.open_loop import OpenLoop

OF_QUEUES = {
    "utilization": Column("utilisation"),
    "loss_ratio": Column("loss", decimals=4),
    "marks_packets": Column("marks", decimals=0),
    "queue_mean_packets": Column("queue", "packets", 2),
    "queue_max_packets": Column("max", decimals=0),
    "queueing_delay_mean_s": Column("delay", "ms"),
    "queueing_delay_p95_s": Column("p95", "ms"),
    "queueing_delay_p99_s": Column("p99", "ms"),
}
"""What is shown of a queue."""

OF_FLOWS = {
    "sent_packets": Column("arrivals", decimals=0),
    "loss_ratio": Column("loss", decimals=4),
    "delay_mean_s": Column("delay", "ms"),
    "delay_p95_s": Column("p95", "ms"),
    "delay_p99_s": Column("p99", "ms"),
}
"""What is shown of a flow."""

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
    """Write tables, where they are asked for, and then figures; return the paths."""
    from sojourn.experiments.output_folder import writing

    if out is not None:
        with writing(out):
            written = found.write(out)
            if draw := _drawing(found):
                written += draw(found, out)
            return written
    if draw := _drawing(found):
        with writing(usual):
            return draw(found, usual)
    return []


def _drawing(found: OpenLoop) -> Callable[[OpenLoop, Path], list[Path]] | None:
    """What draws the figures, or a line on why there are none: the tables stand without them.

    Where there was no packet there is nothing to draw.
    """
    if found.flows.is_empty():
        return None
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
    of_queues = _fitted(OF_QUEUES, found.queues)
    for column in of_queues.values():
        table.add_column(column.heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for row in found.queues.iter_rows(named=True):
        reasons = _reasons(found.drops, row["queue"])
        table.add_row(row["queue"], *_cells(row, of_queues), reasons)
    console.print(table)
    if found.flows.is_empty():
        return
    largest = found.flows.group_by("flow", maintain_order=True).agg(pl.max("sent_packets"))
    shown = largest.sort("sent_packets", descending=True, maintain_order=True)["flow"]
    table = Table(title="Flows", title_justify="left", caption_justify="left")
    for heading in ("flow", "queue"):
        table.add_column(heading, overflow="fold")
    of_flows = _fitted(OF_FLOWS, found.flows.filter(pl.col("flow").is_in(shown[:MOST_FLOWS])))
    for column in of_flows.values():
        table.add_column(column.heading, justify="right")
    table.add_column("drops by reason", overflow="fold")
    for flow in shown[:MOST_FLOWS]:
        rows = found.flows.filter(flow=flow)
        for place, row in enumerate(rows.iter_rows(named=True)):
            reasons = _reasons(found.drops.filter(flow=flow), row["queue"])
            name = flow if place == 0 else ""
            table.add_row(name, row["queue"], *_cells(row, of_flows), reasons)
    if len(shown) > MOST_FLOWS:
        table.caption = f"{MOST_FLOWS} of {len(shown)} flows, by their packets; --out has all"
    console.print(table)


def _fitted(columns: dict[str, Column], rows: pl.DataFrame) -> dict[str, Column]:
    """The columns in units in which all of these rows can be read."""
    return {metric: column.fitted(rows[metric]) for metric, column in columns.items()}


def _reasons(drops: pl.DataFrame, queue: str) -> str:
    """Say how many packets were dropped for which reason."""
    counts: dict[str, int] = {}
    for row in drops.filter(queue=queue, kind="drop").iter_rows(named=True):
        counts[row["reason"]] = counts.get(row["reason"], 0) + row["packets"]
    return ", ".join(f"{packets} {reason}" for reason, packets in counts.items()) or "-"


def _cells(row: dict[str, float | None], columns: dict[str, Column]) -> list[str]:
    """Write the values of a row as people read them."""
    values = [(row[metric], how) for metric, how in columns.items()]
    return [
        "-" if value is None else f"{value * how.factor:.{how.decimals}f}" for value, how in values
    ]
