"""A metric over two factors: a field of cells for each discipline, with its number in each."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize
from numpy.typing import NDArray

from sojourn.comparing import per_replica
from sojourn.experiments.cases import answers
from sojourn.plots.choice import PlotError, check_key, keys_of_axes
from sojourn.plots.looks import look, looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label
from sojourn.plots.scales import scale
from sojourn.plots.style import INK, TEXT, name_axes, name_columns, name_rows, new_panels, titled
from sojourn.results import Results
from sojourn.stats.intervals import student_interval
from sojourn.wording import in_words, short_key

COLUMNS = ("discipline", "x", "y", "mean")
"""What the frame must hold; x and y are texts, in their order. That of `gather` has `quantity` too,
whose ending is the unit of the mean."""

COLOURS = "cividis"
"""Matplotlib's; even in lightness, and the same to the colour-blind."""

BAR = 8
"""Letters that the bar of colours takes of each panel's width."""

MANY_TIMES = 20
"""From this ratio of the greatest value to the least on, colours go by ratio."""

Cells = NDArray[np.float64]
"""One number for each pair of values, rows by y."""


def gather(
    results: Results, of: str, *, x: str | None = None, y: str | None = None
) -> pl.DataFrame:
    """Means over replicas for every pair of values of two varied keys.

    By default the first two keys that are not what is compared; where there is only one, it and
    the discipline; where there is none, those that are quantities. What is compared besides has
    panels of its own, other keys that vary are averaged over. Raises PlotError.
    """
    for key in (x, y):
        if key is not None:
            check_key(results, key)
    if x is not None and x == y:
        raise PlotError(f"found the key {x!r} for x and for y; allowed: two keys")
    chosen = factors(results, x, y)
    if not chosen:
        raise PlotError("no quantity varies: a heat map needs a factor")
    values = per_replica(results, of)
    names = answers(results.scenario, tuple(chosen[:2]))
    across, *up = ([*in_words([at[key] for at in results.scenario.vary])] for key in chosen[:2])
    rows = []
    for point, place in enumerate(across):
        mean = student_interval(values[point]).mean
        one, other = (names[point], up[0][point]) if up else ("", names[point])
        rows.append((one, place, other, mean))
    schema = dict.fromkeys(COLUMNS[:3], pl.String) | {"mean": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    means = frame.group_by("discipline", "x", "y", maintain_order=True).agg(pl.col("mean").mean())
    return means.select("discipline", pl.lit(of).alias("quantity"), "x", "y", "mean")


def factors(results: Results, x: str | None, y: str | None) -> list[str]:
    """The varied keys that are factors, those of the axes first."""
    keys = keys_of_axes(results)
    chosen = [key for key in (x, y) if key is not None]
    return chosen + [key for key in keys if key not in chosen]


def axis_names(results: Results, x: str | None, y: str | None) -> tuple[str, str]:
    """What the two axes are."""
    words = [short_key(key) for key in factors(results, x, y)[:2]]
    return (words[0], words[1] if len(words) > 1 else "")


def averaged(results: Results, x: str | None, y: str | None) -> str:
    """Which keys the numbers are means over; empty where there are none."""
    vary = results.scenario.vary
    over = [
        f"{short_key(key)} ({', '.join(values)})"
        for key in factors(results, x, y)[2:]
        if len(values := list(dict.fromkeys(in_words([point[key] for point in vary])))) > 1
    ]
    return f"Each number is a mean over {' and '.join(over)}" if over else ""


def draw(frame: pl.DataFrame, metric: str, names: tuple[str, str] = ("", "")) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): one panel for each discipline, one scale for all.

    Colours go by ratio where the greatest value is many times the least.
    """
    kind = axis_label(metric)
    across = sorted_values(frame["x"])
    # Where there is one factor, what is compared is the other.
    alone = frame["discipline"][0] == "" and not names[1]
    up = list(looks(frame["y"])) if alone else sorted_values(frame["y"])
    disciplines = looks(frame["discipline"])
    columns = min(2, len(disciplines))
    rows = -(-len(disciplines) // columns)
    height = 1.3 + rows * (0.7 + 0.36 * len(up))
    figure, panels = new_panels(rows, columns, (7.2, height))
    norm = _norm(frame["mean"].drop_nulls() * kind.factor)
    colours = ScalarMappable(norm, COLOURS)
    x_texts, x_unit = _ticks(across)
    y_texts, y_unit = ([one.label for one in looks(up).values()], "") if alone else _ticks(up)
    for panel in panels[len(disciplines) :]:
        panel.set_visible(False)
    for number, (discipline, shown) in enumerate(disciplines.items()):
        panel = panels[number]
        cells = np.full((len(up), len(across)), np.nan)
        for row in frame.filter(pl.col("discipline") == discipline).iter_rows(named=True):
            if row["mean"] is not None:
                cells[up.index(row["y"]), across.index(row["x"])] = row["mean"] * kind.factor
        panel.imshow(cells, cmap=COLOURS, norm=norm, aspect="auto")
        panel.grid(False)
        _write(panel, cells, norm)
        name_columns(panel, x_texts)
        name_rows(panel, y_texts)
        titled(panel, shown.label if discipline else "", BAR)
        name_axes(panel, names[0] + x_unit, names[1] + y_unit)
        panel.label_outer()
        if number + columns >= len(disciplines):  # nothing stands below it
            panel.tick_params(labelbottom=True)
            name_axes(panel, names[0] + x_unit, panel.get_ylabel())
    bar = figure.colorbar(colours, ax=panels, shrink=0.9, pad=0.02)
    bar.set_label(kind.label, color=INK, fontsize=TEXT)
    bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    bar.minorticks_off()
    bar.ax.yaxis.set_major_formatter(lambda value, _: number_text(value))
    return figure


def _norm(values: pl.Series) -> Normalize:
    low, high = (float(str(values.min())), float(str(values.max()))) if len(values) else (0, 1)
    return LogNorm(low, high) if 0 < MANY_TIMES * low < high else Normalize(low, high)


def _ticks(values: list[str]) -> tuple[list[str], str]:
    """What stands at the ticks, and, where a unit is common to all, in the axis's name."""
    known = scale(values)
    if known.names:
        return [look(value).label for value in values], ""
    return [f"{one:g}" for one in known.numbers], f" ({known.unit})" if known.unit else ""


def _write(panel: Axes, cells: Cells, norm: Normalize) -> None:
    """Each cell's number in it."""
    light = np.asarray(norm(cells)) > 0.55
    size = TEXT - 2 if cells.shape[1] <= 7 else TEXT - 3
    for (i, j), value in np.ndenumerate(cells):
        if not np.isnan(value):
            ink = INK if light[i, j] else "white"
            text = number_text(value)
            panel.text(j, i, text, ha="center", va="center", color=ink, fontsize=size)


def number_text(value: float) -> str:
    """Three significant digits, without an exponent among everyday sizes."""
    return f"{value:.0f}" if 1000 <= abs(value) < 1e6 else f"{value:.3g}"


def sorted_values(values: pl.Series) -> list[str]:
    """The values by size, where they are numbers; else as they come."""
    known = list(dict.fromkeys(values))
    numbers = scale(known).numbers
    return [value for _, value in sorted(zip(numbers, known, strict=True))]
