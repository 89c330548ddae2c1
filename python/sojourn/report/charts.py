"""The interactive figures of a report, as Vega-Lite specifications.

Every one listens to two signals that the page sets: ``chosen``, the disciplines that are shown, and
``scene``, the case. Colours are variables of the page's style sheet, so that light, dark and print
are one drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import polars as pl

from sojourn.experiments.cases import answers, cases, is_compared
from sojourn.plots import against_load, completion_times, delay_cdf, delay_goodput, drops
from sojourn.plots.choice import PlotError, cases_run, link_of, same_arrivals
from sojourn.plots.delay_goodput import contour, goes_by_ratio
from sojourn.plots.looks import Line, line_styles, looks
from sojourn.plots.quantities import axis_label, axis_label_of
from sojourn.plots.ranks import usual
from sojourn.plots.reasons import KINDS, REASON_COLOURS, in_order, in_words
from sojourn.results import Results

SHAPES = {
    "o": "circle",
    "s": "square",
    "^": "triangle-up",
    "D": "diamond",
    "x": "M-0.9,-0.6L-0.6,-0.9L0,-0.3L0.6,-0.9L0.9,-0.6L0.3,0L0.9,0.6L0.6,0.9L0,0.3L-0.6,0.9"
    "L-0.9,0.6L-0.3,0Z",
    "v": "triangle-down",
    "P": "cross",
    "*": "M0,-1L0.3,-0.3L1,-0.2L0.45,0.25L0.6,1L0,0.55L-0.6,1L-0.45,0.25L-1,-0.2L-0.3,-0.3Z",
    "<": "triangle-left",
    ">": "triangle-right",
    "d": "M0,-1L0.55,0L0,1L-0.55,0Z",
}
"""Matplotlib's markers as Vega's shapes."""

MOST_SAMPLES = 30_000
"""Rows of a series on a page; above, only every so many samples are shown."""

HEIGHT = 330


@dataclass(frozen=True)
class Chart:
    """A figure of the page: its texts, and its specification."""

    id: str
    title: str
    caption: str
    alt: str
    spec: dict[str, Any]
    is_of_case: bool = True
    """Whether it shows one case, and not all of them."""
    names_disciplines: bool = False
    """Whether it needs no key to its marks."""


def charts(results: Results) -> list[Chart]:
    """All figures that the experiment has the data for."""
    alt.data_transformers.disable_max_rows()
    made = []
    for one in (_load, _goodput, _cdf, _fct, _drops, _queue, _cwnd):
        try:
            made.append(one(results))
        except PlotError:
            continue
    return made


def _per_case(results: Results, gather: Any) -> pl.DataFrame:
    """One frame of all cases; ``scene`` is the number of the case."""
    parts = []
    for number in cases_run(results):
        part = gather(number)
        parts.append(part.with_columns(pl.lit(number).alias("scene")))
    return _labelled(results, pl.concat(parts))


def _labelled(results: Results, frame: pl.DataFrame) -> pl.DataFrame:
    names = {name: one.label for name, one in looks(answers(results.scenario)).items()}
    return frame.with_columns(pl.col("discipline").replace(names))


class _Style:
    """Colours, shapes and dashes of the disciplines, and the signals.

    Where a key has an axis of its own, ``apart``, lines have names without it. Each then looks as
    its first point does elsewhere, and has its key in the figure.
    """

    def __init__(self, results: Results, apart: tuple[str, ...] = ()) -> None:
        names = answers(results.scenario)
        of_names = looks(names)
        self.chosen = alt.param(name="chosen", value=[one.label for one in of_names.values()])
        self.scene = alt.param(name="scene", value=max(cases_run(results), default=0))
        numbers = {name: number for number, name in enumerate(of_names)}
        firsts: dict[str, str] = {}
        for short, name in zip(answers(results.scenario, apart), names, strict=True):
            firsts.setdefault(short, name)
        self.labels = {short: one.label for short, one in looks(firsts).items()}
        drawn, labels = [of_names[name] for name in firsts.values()], [*self.labels.values()]
        key = alt.Legend(orient="bottom", title=None, symbolOpacity=1)
        legend = key if apart and len(firsts) > 1 else None
        self.colour = alt.Color(
            "discipline:N",
            title="Discipline",
            legend=legend,
            scale=alt.Scale(
                domain=labels, range=[f"var(--look-{numbers[name]})" for name in firsts.values()]
            ),
        )
        self.shape = alt.Shape(
            "discipline:N",
            legend=legend,
            scale=alt.Scale(domain=labels, range=[SHAPES[one.marker] for one in drawn]),
        )
        self.dash = _dashes(labels, [one.line for one in drawn])
        self.thin_dash = _dashes(
            labels, [*line_styles(dict(zip(labels, drawn, strict=True))).values()]
        )
        self.only_chosen = "true" if apart else "indexof(chosen, datum.discipline) >= 0"
        self.only_scene = "datum.scene == scene"

    def spec(self, chart: Any, height: int = HEIGHT) -> dict[str, Any]:
        """The finished specification."""
        zoom = alt.selection_interval(
            bind="scales",
            translate="[pointerdown, window:pointerup] > window:pointermove!",
            zoom="wheel![event.ctrlKey || event.metaKey]",
            clear="dblclick",
        )
        chart = chart.add_params(self.chosen, self.scene)
        layers = getattr(chart, "layer", None)
        if layers:
            layers[0] = layers[0].add_params(zoom)
        else:
            chart = chart.add_params(zoom)
        return chart.properties(width="container", height=height).to_dict()


def _dashes(labels: list[str], lines: list[Line]) -> alt.StrokeDash:
    ranges = [dash(line) for line in lines]
    return alt.StrokeDash("discipline:N", legend=None, scale=alt.Scale(domain=labels, range=ranges))


def dash(line: Line) -> list[float]:
    """Matplotlib's line as Vega's dashes."""
    return [1, 0] if isinstance(line, str) else [2 * one for one in line[1]]


def _goodput(results: Results) -> Chart:
    style = _Style(results)
    link = link_of(results, None)
    frame = _per_case(results, lambda number: delay_goodput.gather(results, case=number))
    frame = frame.drop_nulls().with_columns(pl.col("delay_s") * 1e3, pl.col("goodput_bps") / 1e6)
    if frame.is_empty():
        raise PlotError("no packet was delayed")
    keys = ["discipline", "scene"]
    by_ratio = goes_by_ratio(frame)
    centres = frame.group_by(keys, maintain_order=True).agg(
        pl.col("delay_s", "goodput_bps").median()
    )
    x = alt.X(
        "delay_s:Q",
        title=["Mean queueing delay (ms),", "less is to the right"],
        scale=alt.Scale(type="log" if by_ratio else "linear", reverse=True, zero=False, padding=20),
    )
    y = alt.Y(
        "goodput_bps:Q",
        title="Goodput of all flows (Mbit/s)",
        scale=alt.Scale(zero=False, padding=20),
    )
    tips = [
        alt.Tooltip("discipline:N", title="Discipline"),
        alt.Tooltip("delay_s:Q", title="Delay (ms)", format=".3~g"),
        alt.Tooltip("goodput_bps:Q", title="Goodput (Mbit/s)", format=".4~g"),
    ]
    base = {"x": x, "y": y, "color": style.colour}
    dots = alt.Chart(frame).mark_point(filled=True, size=26, opacity=0.5)
    dots = dots.encode(
        **base, shape=style.shape, tooltip=[*tips, alt.Tooltip("replica:Q", title="Replica")]
    )
    middles = alt.Chart(centres).mark_point(filled=True, size=130, opacity=1)
    middles = middles.encode(**base, shape=style.shape, tooltip=tips)
    layers = [dots, middles]
    around = _contours(frame, keys, by_ratio)
    if not around.is_empty():
        lines = alt.Chart(around).mark_line(strokeWidth=1.5).encode(**base, order="step:Q")
        layers.insert(1, lines)
    layers = [
        one.transform_filter(style.only_chosen).transform_filter(style.only_scene) for one in layers
    ]
    return Chart(
        "delay-goodput",
        "Delay against goodput",
        f"Queueing delay at {link} against the goodput of all flows: a small mark for each "
        "replica, a large one at their medians, and the 1-sigma ellipse of the replicas around "
        "their means (RFC 7928, section 2.7). Up and to the right is better.",
        "Scatter of mean queueing delay and goodput, one mark for each replica of each discipline. "
        "The same numbers stand in the table of every point.",
        style.spec(alt.layer(*layers), 380),
    )


def _contours(frame: pl.DataFrame, keys: list[str], by_ratio: bool) -> pl.DataFrame:
    """The 1-sigma ellipses as closed lines."""
    parts = []
    for key, rows in frame.group_by(keys, maintain_order=True):
        if len(rows) < 3:
            continue
        x, y = contour(rows["delay_s"].to_numpy(), rows["goodput_bps"].to_numpy(), by_ratio)
        parts.append(
            pl.DataFrame({"delay_s": x, "goodput_bps": y, "step": np.arange(len(x))}).with_columns(
                pl.lit(key[0]).alias(keys[0]), pl.lit(key[1]).alias(keys[1])
            )
        )
    return pl.concat(parts) if parts else pl.DataFrame()


def _cdf(results: Results) -> Chart:
    style = _Style(results)
    frame = _per_case(results, lambda number: delay_cdf.gather(results, case=number))
    # An interval may reach below zero, a delay does not.
    frame = frame.with_columns((pl.col("delay_s", "low_s", "high_s") * 1e3).clip(lower_bound=0))
    base = (
        alt.Chart(frame)
        .transform_filter(style.only_chosen)
        .transform_filter(style.only_scene)
        .encode(y=alt.Y("share:Q", title="Share of packets", axis=alt.Axis(format="%")))
    )
    x = alt.X("delay_s:Q", title="Queueing delay at most (ms)")
    band = base.mark_area(opacity=0.18, orient="horizontal").encode(
        x=alt.X("low_s:Q", title="Queueing delay at most (ms)"), x2="high_s:Q", color=style.colour
    )
    line = base.mark_line(strokeWidth=2).encode(
        x=x, color=style.colour, strokeDash=style.dash, order="share:Q"
    )
    dots = base.mark_point(filled=True, size=32, opacity=1).encode(
        x=x,
        color=style.colour,
        shape=style.shape,
        tooltip=[
            alt.Tooltip("discipline:N", title="Discipline"),
            alt.Tooltip("share:Q", title="Share of packets", format=".1%"),
            alt.Tooltip("delay_s:Q", title="Delay at most (ms)", format=".3~g"),
            alt.Tooltip("low_s:Q", title="from (ms)", format=".3~g"),
            alt.Tooltip("high_s:Q", title="to (ms)", format=".3~g"),
        ],
    )
    return Chart(
        "cdf",
        "Distribution of the queueing delay",
        f"The share of packets that waited at {link_of(results, None)} for at most so long: the "
        "mean of each quantile over the replicas, with its 95 % interval.",
        "Cumulative distribution of the queueing delay, a line for each discipline.",
        style.spec(alt.layer(band, line, dots)),
    )


def _selected(column: pl.Series) -> tuple[alt.Parameter, alt.TitleParams]:
    """A choice among the texts of a column, which has its name, and a title that tells it.

    An axis cannot be named by what is chosen; the figure can, and so it is on paper too.
    """
    texts = column.unique(maintain_order=True).to_list()
    select = alt.binding_select(options=texts, name=f"{column.name.capitalize()}: ")
    chosen = alt.param(name=column.name, value=texts[0], bind=select)
    return chosen, alt.TitleParams(text=alt.ExprRef(column.name), anchor="start")


def _banded(
    style: _Style, base: Any, value: str, up: dict[str, Any], tips: Sequence[alt.Tooltip]
) -> list[Any]:
    """Lines with a mark at each ``value``, and bands from ``low`` to ``high`` where they are known.

    ``up`` says how the axis upwards looks, ``tips`` what a mark tells besides its discipline.
    """
    band = base.transform_filter("isValid(datum.low)").mark_area(opacity=0.18)
    y = alt.Y(f"{value}:Q", **up)
    discipline = alt.Tooltip("discipline:N", title="Discipline")
    return [
        band.encode(y=alt.Y("low:Q", **up), y2="high:Q", color=style.colour),
        base.mark_line(strokeWidth=2).encode(y=y, color=style.colour, strokeDash=style.dash),
        base.mark_point(filled=True, size=50, opacity=1).encode(
            y=y, color=style.colour, shape=style.shape, tooltip=[discipline, *tips]
        ),
    ]


def _fct(results: Results) -> Chart:
    style = _Style(results)
    parts = []
    for number in cases_run(results):
        with suppress(PlotError):
            part = completion_times.gather(results, case=number)
            parts.append(part.with_columns(pl.lit(number).alias("scene")))
    if not parts:
        raise PlotError("no completion time is known in any case")
    keys = ("scene", "share", "discipline")
    frame = _labelled(results, pl.concat(parts)).with_columns(
        pl.col("share").replace_strict(completion_times.SHARES).alias("quantile"),
        pl.col("size_bytes") / 1e3,
        pl.col("value", "low", "high") * 1e3,
        # A line is drawn from class to class, not over one that is not known.
        pl.col("value").is_null().cum_sum().over(keys).alias("stretch"),
    )
    frame = frame.drop_nulls("value").drop("share", "quantity")
    quantile, chosen = _selected(frame["quantile"])
    by_ratio = alt.Scale(type="log", padding=20, nice=False)
    axis = alt.Axis(format="~g", labelOverlap=True)
    size = alt.X("size_bytes:Q", title="Size of the transfer (kB)", scale=by_ratio, axis=axis)
    base = (
        alt.Chart(frame)
        .transform_filter(style.only_chosen)
        .transform_filter(style.only_scene)
        .transform_filter("datum.quantile == quantile")
        .encode(x=size, detail="stretch:N")
    )
    tips = (
        alt.Tooltip("size_bytes:Q", title="Size (kB)", format=".3~g"),
        alt.Tooltip("value:Q", title="Completion time (ms)", format=".4~g"),
        alt.Tooltip("low:Q", title="from (ms)", format=".4~g"),
        alt.Tooltip("high:Q", title="to (ms)", format=".4~g"),
    )
    up = {"title": "Completion time (ms)", "scale": by_ratio, "axis": axis}
    layers = _banded(style, base, "value", up, tips)
    return Chart(
        "fct",
        "Completion times by size",
        "How long transfers take by their size: the median of each class of size, or its 95th "
        "percentile, with a 95 % interval over the replicas. What was under way when a run ended "
        "counts for as long as it had taken by then.",
        "Completion time against the size of a transfer, a line for each discipline.",
        style.spec(alt.layer(*layers).add_params(quantile).properties(title=chosen)),
    )


def _load(results: Results) -> Chart:
    key = against_load.load_key(results)
    apart = (key,) if key is not None and is_compared(key) else ()
    style = _Style(results, apart)
    parts = []
    what = against_load.LoadFigure("")
    for quantity in usual(results):
        frame, what = against_load.gather(results, quantity)
        frame = frame.select(
            "discipline",
            "load",
            pl.col("mean", "low", "high") * what.factor,
            pl.lit(axis_label_of(quantity).label).alias("metric"),
        )
        parts.append(frame)
    frame = pl.concat(parts).with_columns(pl.col("discipline").replace(style.labels))
    metric, chosen = _selected(frame["metric"])
    if what.ticks:
        frame = frame.with_columns(
            pl.col("load").map_elements(
                lambda place: what.ticks[int(place)], return_dtype=pl.String
            )
        )
        x = alt.X("load:N", title=what.x_label, sort=list(what.ticks), axis=alt.Axis(labelAngle=0))
    else:
        x = alt.X("load:Q", title=what.x_label, scale=alt.Scale(zero=False, padding=10))
    base = (
        alt.Chart(frame)
        .transform_filter(style.only_chosen)
        .transform_filter("datum.metric == metric")
        .encode(x=x)
    )
    tips = (
        alt.Tooltip("load:N" if what.ticks else "load:Q", title=what.x_label),
        alt.Tooltip("mean:Q", title="Mean", format=".4~g"),
        alt.Tooltip("low:Q", title="from", format=".4~g"),
        alt.Tooltip("high:Q", title="to", format=".4~g"),
    )
    up = {"title": None, "scale": alt.Scale(zero=False)}
    layers = _banded(style, base, "mean", up, tips)
    fixed = f", at {what.fixed}" if what.fixed else ""
    return Chart(
        "load",
        f"Against {what.x_label[:1].lower() + what.x_label[1:]}",
        f"Means over replicas with their 95 % intervals{fixed}.",
        f"A metric against {what.x_label}, a line for each discipline.",
        style.spec(alt.layer(*layers).add_params(metric).properties(title=chosen)),
        is_of_case=False,
        names_disciplines=bool(apart),
    )


def _drops(results: Results) -> Chart:
    style = _Style(results)
    frame = _per_case(results, lambda number: drops.gather(results, case=number))
    kinds = in_order(frame.drop_nulls("reason").select("kind", "reason").iter_rows())
    if not kinds:
        raise PlotError("nothing was dropped or marked")
    words = {kind: f"{word}: " for kind, word in KINDS.items()}
    named = (pl.col("kind").replace(words) + pl.col("reason")).fill_null("none")
    reasons = [in_words(*one) for one in kinds]
    place = dict(zip(reasons, range(len(reasons)), strict=True))
    order = pl.col("reason").replace_strict(place, default=None, return_dtype=pl.Int64)
    frame = frame.with_columns(named.alias("reason")).with_columns(order.alias("order"))
    colours = [REASON_COLOURS[reason] for _, reason in kinds]
    both = zip(colours, kinds, strict=True)
    # A packet that was marked was not lost: its bar is hollow.
    filled = [colour + ("" if kind == "drop" else "40") for colour, (kind, _) in both]
    legend = alt.Legend(orient="bottom", title=None, columns=alt.ExprRef("width < 360 ? 1 : 2"))
    chart = (
        alt.Chart(frame)
        .transform_filter(style.only_chosen)
        .transform_filter(style.only_scene)
        .mark_bar(strokeWidth=1.5)
        .encode(
            x=alt.X("packets:Q", title="Packets in a run"),
            y=alt.Y("discipline:N", title=None, sort=list(dict.fromkeys(frame["discipline"]))),
            fill=alt.Fill("reason:N", scale=alt.Scale(domain=reasons, range=filled), legend=legend),
            stroke=alt.Stroke(
                "reason:N", scale=alt.Scale(domain=reasons, range=colours), legend=legend
            ),
            order=alt.Order("order:O"),
            tooltip=[
                alt.Tooltip("discipline:N", title="Discipline"),
                alt.Tooltip("reason:N", title="Reason"),
                alt.Tooltip("packets:Q", title="Packets in a run", format=",.4~r"),
            ],
        )
    )
    many = frame["discipline"].n_unique()
    spec = chart.add_params(style.chosen, style.scene)
    return Chart(
        "drops",
        "Drops and marks by reason",
        f"Packets that {link_of(results, None)} dropped or marked in a run, mean over replicas.",
        "Bars of packets dropped and marked by reason, one for each discipline.",
        spec.properties(width="container", height=60 + 34 * many).to_dict(),
        names_disciplines=True,
    )


def _queue(results: Results) -> Chart:
    link = link_of(results, None)
    return _over_time(
        results, "queue_packets", link, "queue", "Queue over time", f"Packets that wait at {link}."
    )


def _cwnd(results: Results) -> Chart:
    flows = results.series("cwnd_packets")["name"]
    if flows.is_empty():
        raise PlotError("no window was recorded")
    return _over_time(
        results,
        "cwnd_packets",
        str(flows[0]),
        "cwnd",
        "Congestion window over time",
        f"The window of the flow {flows[0]}.",
    )


def _over_time(results: Results, metric: str, name: str, id_: str, title: str, what: str) -> Chart:
    """A series of the first replica, in all cases."""
    style = _Style(results)
    wanted = (pl.col("name") == name) & (pl.col("replica") == results.runs["replica"].min())
    series = results.series(metric).filter(wanted)
    if series.is_empty():
        raise PlotError("no time series was recorded")
    every = -(-len(series) // MOST_SAMPLES)
    series = series.with_columns(pl.int_range(pl.len()).over("point").alias("n"))
    series = series.filter(pl.col("n") % every == 0)
    scenes = {p: n for n, case in enumerate(cases(results.scenario)) for p in case.points}
    called = dict(enumerate(answers(results.scenario)))
    frame = series.select(
        pl.col("point").replace_strict(called, return_dtype=pl.String).alias("discipline"),
        pl.col("point").replace_strict(scenes, return_dtype=pl.Int64).alias("scene"),
        "time_s",
        pl.col("value").round(4),
    )
    chart = (
        alt.Chart(_labelled(results, frame))
        .transform_filter(style.only_chosen)
        .transform_filter(style.only_scene)
        .mark_line(strokeWidth=1.3, clip=True)
        .encode(
            x=alt.X("time_s:Q", title="Time (s)"),
            y=alt.Y("value:Q", title=axis_label(metric).label),
            color=style.colour,
            strokeDash=style.thin_dash,
            tooltip=[
                alt.Tooltip("discipline:N", title="Discipline"),
                alt.Tooltip("time_s:Q", title="Time (s)", format=".4~r"),
                alt.Tooltip("value:Q", title=axis_label(metric).label, format=".4~r"),
            ],
        )
    )
    arrivals = {same_arrivals(results, case) for case in cases(results.scenario)}
    for_all = arrivals.pop() if len(arrivals) == 1 else ""
    thinned = f" Every {every}th sample is shown." if every > 1 else ""
    return Chart(
        id_,
        title,
        f"{what} One replica{for_all}.{thinned}",
        f"{title}, a line for each discipline.",
        style.spec(chart),
    )
