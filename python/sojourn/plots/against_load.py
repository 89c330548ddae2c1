"""A measure against the network load: a line per discipline with a band for its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import polars as pl
from matplotlib.axes import Axes

from sojourn.comparing import per_replica
from sojourn.experiments.cases import answers, is_compared
from sojourn.plots.choice import PlotError, check_key, keys_of_axes
from sojourn.plots.looks import look, looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label_of
from sojourn.plots.scales import scale
from sojourn.plots.style import (
    FAINT,
    INK,
    TEXT,
    legend_below,
    name_axes,
    name_columns,
    new_figure,
    tidy,
    titled,
)
from sojourn.results import Results
from sojourn.stats.intervals import student_interval
from sojourn.wording import in_words, short_key, titles

COLUMNS = ("discipline", "load", "mean", "low", "high")
"""What the frame must hold; low and high may be null. `published`, where it is there, holds printed
numbers: open diamonds. That of `gather` has `quantity` too, whose ending is the unit of mean, low
and high, and `at`, the value of the key with its unit."""

FEW = 8
"""Up to so many loads every one gets its marker."""


@dataclass(frozen=True)
class Level:
    """A horizontal line with its text: a bound or a published average."""

    value: float
    text: str
    discipline: str | None = None


@dataclass(frozen=True)
class Inset:
    """A magnifier: the loads from `start` on, drawn again in an empty part of the axes.

    `place` is (left, bottom, width, height) in shares of the axes.
    """

    start: float
    place: tuple[float, float, float, float]


@dataclass(frozen=True)
class LoadFigure:
    """What a figure against load needs besides its data.

    `capacity` draws the rate of the bottleneck, in the unit of the load axis; `levels` are
    horizontal lines named at the right edge; `from_zero` begins the axis at zero; `ticks` name
    loads that are no numbers but the places 0, 1 ..., and `joined` whether a line may lead from one
    to the next; `fixed` says what else is kept; `factor` leads from the unit of mean, low and high
    to that of the axis.
    """

    y_label: str
    x_label: str = "Network load: sum of the stated rates (Mbit/s)"
    capacity: float | None = None
    levels: Sequence[Level] = field(default_factory=tuple)
    inset: Inset | None = None
    from_zero: bool = True
    ticks: Sequence[str] = ()
    joined: bool = True
    fixed: str = ""
    factor: float = 1.0


def gather(results: Results, of: str, *, x: str | None = None) -> tuple[pl.DataFrame, LoadFigure]:
    """A quantity against a varied key, and how to draw it.

    By default the key is the first with several values that is not what is compared, or, where
    there is none, the first that is a quantity. What is compared besides has lines of its own;
    other keys stay at their last value. Raises PlotError.
    """
    scenario = results.scenario
    key = load_key(results) if x is None else x
    if key is None:
        known = ", ".join(scenario.core.vary_keys)
        if not known:
            raise PlotError("nothing varies, so there is no x")
        what = f"no quantity varies, so there is no x ({known})"
        raise PlotError(f"{what}; the figure compare shows what is compared")
    check_key(results, key)
    values, names, vary = per_replica(results, of), answers(scenario, (key,)), scenario.vary
    kept = {one: value for one, value in vary[-1].items() if one != key and not is_compared(one)}
    points = [
        point
        for point, found in enumerate(vary)
        if all(found[one] == value for one, value in kept.items())
    ]
    texts = in_words([vary[point][key] for point in points])
    loads = scale([vary[point][key] for point in points])
    rows = []
    for point, at, load in zip(points, texts, loads.numbers, strict=True):
        one = student_interval(values[point])
        rows.append((names[point], of, at, load, one.mean, one.low, one.high))
    kind = axis_label_of(of)
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(
        ("discipline", "quantity", "at"), pl.String
    )
    schema |= dict.fromkeys(COLUMNS[1:], pl.Float64)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    name = short_key(key)
    x_label = name[:1].upper() + name[1:] + (f" ({loads.unit})" if loads.unit else "")
    from_zero = not of.endswith(".jain_index")
    where = [{one: value for one, value in point.items() if one in kept} for point in vary]
    fixed = titles(where)[-1]
    what = LoadFigure(
        kind.label,
        x_label,
        from_zero=from_zero,
        ticks=[look(name).label for name in loads.names],
        joined=not (is_compared(key) and loads.names),
        fixed=fixed,
        factor=kind.factor,
    )
    return frame, what


def load_key(results: Results) -> str | None:
    """The key that is x where none is named."""
    return next(iter(keys_of_axes(results)), None)


def draw(frame: pl.DataFrame, what: LoadFigure) -> Plot:
    """Draw `frame` (columns as `COLUMNS`). Raises ValueError when one is missing."""
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of a figure against load lacks {', '.join(missing)}")
    frame = frame.with_columns(pl.col("mean", "low", "high") * what.factor)
    figure, axes = new_figure()
    draw_lines(axes, frame, joined=what.joined)
    if "published" in frame.columns:
        draw_published(axes, frame)
    if what.levels:
        top = max(axes.get_ylim()[1], 1.05 * max(level.value for level in what.levels))
        axes.set_ylim(top=top)
    if what.from_zero:
        axes.set_ylim(bottom=0)
    draw_levels(axes, what.levels)
    if what.capacity is not None:
        draw_capacity(axes, what.capacity)
    if what.inset is not None:
        draw_inset(axes, frame, what.inset)
    titled(axes, what.fixed)
    if what.ticks:
        name_columns(axes, what.ticks)
    name_axes(axes, what.x_label, what.y_label)
    legend_below(figure, axes, 2 if "published" in frame.columns else 3)
    return figure


def draw_lines(axes: Axes, frame: pl.DataFrame, *, joined: bool = True) -> None:
    """The lines and bands of all disciplines, in the order of the frame.

    Points that are not joined have their intervals as bars.
    """
    disciplines = looks(frame["discipline"])
    for place, (discipline, style) in enumerate(disciplines.items()):
        rows = frame.filter(pl.col("discipline") == discipline).sort("load").drop_nulls("mean")
        loads = rows["load"].to_numpy()
        # Lines that coincide stay visible where their markers take turns.
        every = max(len(disciplines), len(loads) // 10)
        is_line = joined and len(loads) > 1
        if not is_line:
            draw_intervals(axes, rows, style.colour)
        elif rows["low"].is_not_null().any():
            axes.fill_between(
                loads,
                rows["low"].cast(pl.Float64).to_numpy(),
                rows["high"].cast(pl.Float64).to_numpy(),
                color=style.colour,
                alpha=0.18,
                linewidth=0,
            )
        axes.plot(
            loads,
            rows["mean"].to_numpy(),
            color=style.colour,
            linestyle=style.line if is_line else "none",
            linewidth=1.8,
            marker=style.marker,
            markersize=4.5 if is_line else 6,
            markevery=1 if len(loads) <= FEW else (place, every),
            label=style.label,
        )


def draw_intervals(axes: Axes, rows: pl.DataFrame, colour: str) -> None:
    """The intervals of points without a line, as far as they have any."""
    known = rows.drop_nulls(["low", "high"])
    axes.vlines(known["load"], known["low"], known["high"], color=colour, linewidth=1.6)


def draw_published(axes: Axes, frame: pl.DataFrame) -> None:
    """The printed numbers, the later discipline's smaller, so that equal ones both show."""
    disciplines = list(dict.fromkeys(frame["discipline"]))
    for place, discipline in enumerate(disciplines):
        rows = frame.filter(pl.col("discipline") == discipline).drop_nulls("published")
        shown = look(discipline)
        axes.plot(
            rows["load"].to_numpy(),
            rows["published"].to_numpy(),
            linestyle="",
            marker="D",
            markersize=9 - 4 * place,
            markerfacecolor="none",
            markeredgecolor=shown.colour,
            markeredgewidth=1.4,
            label=f"{shown.label}, published",
        )


def draw_levels(axes: Axes, levels: Sequence[Level]) -> None:
    """Horizontal lines with their texts at the right edge, moved apart where they would touch."""
    low, high = axes.get_ylim()
    step = 0.055 * (high - low)
    free = low
    for level in sorted(levels, key=lambda one: one.value):
        colour = INK if level.discipline is None else look(level.discipline).colour
        axes.axhline(level.value, color=colour, linewidth=1, linestyle=(0, (1, 3)))
        at = max(level.value, free)
        free = at + step
        axes.annotate(
            level.text,
            (1.0, level.value),
            xycoords=("axes fraction", "data"),
            xytext=(1.02, at),
            textcoords=("axes fraction", "data"),
            fontsize=TEXT - 2,
            color=colour,
            va="center",
        )


def draw_capacity(axes: Axes, capacity: float) -> None:
    """A vertical line at the capacity, named above the axes where no data lies."""
    axes.axvline(capacity, color=INK, linewidth=0.9, linestyle=(0, (4, 3)))
    axes.annotate(
        f"link capacity {capacity:g} Mbit/s",
        (capacity, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=TEXT - 2,
        color=INK,
    )


def draw_inset(axes: Axes, frame: pl.DataFrame, inset: Inset) -> None:
    """The loads from the inset's start on, magnified."""
    part = frame.filter(pl.col("load") >= inset.start)
    if part["load"].n_unique() < 2:
        return
    small = axes.inset_axes(inset.place)
    tidy(small)
    draw_lines(small, part)
    small.margins(x=0.03)
    small.set_facecolor("white")
    small.tick_params(labelsize=TEXT - 3)
    small.spines[["top", "right"]].set_visible(True)
    for spine in small.spines.values():
        spine.set_color(FAINT)
    small.set_title(
        f"from {inset.start:g} Mbit/s on", fontsize=TEXT - 2, color=INK, loc="left", pad=3
    )
