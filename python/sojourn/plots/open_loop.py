"""Bare queues in two figures: queue and delay over time, and who lost packets for which reason."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from sojourn.plots.looks import looks
from sojourn.plots.reasons import REASON_COLOURS
from sojourn.plots.save import save
from sojourn.plots.style import INK, TEXT, name_axes, tidy

if TYPE_CHECKING:
    from sojourn.open_loop import OpenLoop

PANELS = (
    ("queue_mean_packets", "Queue (packets)", 1.0),
    ("queueing_delay_mean_s", "Queueing delay (ms)", 1e3),
)
"""Metric, label and factor of each panel over time."""

MOST_FLOWS = 8
"""Flows with bars of their own: those that lost most."""


def over_time(series: pl.DataFrame, queues: Sequence[str]) -> Figure:
    """Draw queue and delay over time (columns ``queue``, ``metric``, ``time_s``, ``value``)."""
    figure = Figure(figsize=(7.2, 5.4), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(PANELS), sharex=True)
    styles = list(looks(queues).values())
    for axes, (metric, label, factor) in zip(panels, PANELS, strict=True):
        tidy(axes)
        for queue, style in zip(queues, styles, strict=True):
            rows = series.filter(queue=queue, metric=metric)
            values = rows["value"].cast(pl.Float64).fill_null(float("nan")).to_numpy() * factor
            axes.plot(rows["time_s"], values, color=style.colour, linewidth=1.1, label=queue)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        name_axes(axes, "", label)
    panels[-1].set_xlabel("Time (s)", fontsize=TEXT, color=INK)
    _legend(figure, panels[0])
    return figure


def by_reason(drops: pl.DataFrame, came: Mapping[str, Collection[str]]) -> Figure:
    """Draw dropped packets of each flow by reason (columns as of ``OpenLoop.drops``).

    ``came`` has the flows of each queue: one that met none of those that lost packets is left out.
    """
    drops = drops.filter(kind="drop")
    names = _fewer_names(drops)
    shown = {
        queue: list(dict.fromkeys(name for flow, name in names.items() if flow in flows))
        for queue, flows in came.items()
    }
    queues = [queue for queue, flows in shown.items() if flows] or list(came)
    bars = [max(len(shown[queue]), 1) for queue in queues]
    height = 1.1 + 0.22 * sum(bars) + 0.35 * len(queues)
    figure = Figure(figsize=(7.2, max(height, 2.4)), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(queues), sharex=True, squeeze=False, height_ratios=bars)[:, 0]
    named = drops.with_columns(pl.col("flow").replace_strict(names, return_dtype=pl.String))
    counted = named.group_by("queue", "flow", "reason").agg(pl.sum("packets"))
    seen = [name for name in REASON_COLOURS if name in drops["reason"]]
    for axes, queue in zip(panels, queues, strict=True):
        tidy(axes)
        flows = shown[queue]
        left = dict.fromkeys(flows, 0)
        for reason in seen:
            rows = counted.filter(queue=queue, reason=reason)
            counts = dict(rows.select("flow", "packets").iter_rows())
            widths = [counts.get(flow, 0) for flow in flows]
            colour = REASON_COLOURS[reason]
            axes.barh(flows, widths, left=list(left.values()), color=colour, label=reason)
            left = {flow: left[flow] + width for flow, width in zip(flows, widths, strict=True)}
        axes.set_title(queue, fontsize=TEXT, color=INK, loc="left")
        axes.grid(False, axis="y")
        axes.tick_params(labelsize=TEXT - 2)
        axes.invert_yaxis()
    panels[-1].set_xlabel("Dropped packets", fontsize=TEXT, color=INK)
    if seen:
        _legend(figure, panels[0])
    return figure


def _fewer_names(drops: pl.DataFrame) -> dict[str, str]:
    """Name the flows that lost most as they are, the others together; the worst first."""
    lost = drops.group_by("flow", maintain_order=True).agg(pl.sum("packets"))
    order = lost.sort("packets", descending=True, maintain_order=True)["flow"].to_list()
    rest = f"{len(order) - MOST_FLOWS} more flows"
    return {flow: flow if place < MOST_FLOWS else rest for place, flow in enumerate(order)}


def _legend(figure: Figure, axes: Axes) -> None:
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=TEXT - 1,
    )


def save_all(found: OpenLoop, folder: Path) -> list[Path]:
    """Save both figures with the data behind them; return the paths."""
    queues = list(found.queues["queue"])
    shown = found.series.filter(pl.col("metric").is_in([metric for metric, _, _ in PANELS]))
    paths = list(save(over_time(shown, queues), shown, folder, "queue-delay").values())
    came = {queue: set(found.flows.filter(queue=queue)["flow"]) for queue in queues}
    drops = found.drops
    return paths + list(save(by_reason(drops, came), drops, folder, "drops").values())
