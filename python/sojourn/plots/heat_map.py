"""A metric over two factors: a field of cells for each discipline, with its number in each."""

from __future__ import annotations

import numpy as np
import polars as pl

from sojourn.comparing import per_replica
from sojourn.experiments.compared import answers, is_compared, short_key
from sojourn.plots.choice import PlotError
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import shown
from sojourn.plots.scales import scale
from sojourn.plots.style import INK, TEXT, name_axes, new_panels, titled
from sojourn.results import Results
from sojourn.stats.intervals import student_interval

COLUMNS = ("discipline", "x", "y", "mean")
"""What the frame must hold; x and y are texts, in their order."""


def gather(
    results: Results, of: str, *, x: str | None = None, y: str | None = None
) -> pl.DataFrame:
    """Means over replicas for every pair of values of two varied keys.

    By default the first two keys that are not what is compared; where there is only one, it and
    the discipline. Other keys that vary are averaged over. Raises PlotError.
    """
    keys = [key for key in results.scenario.core.vary_keys if not is_compared(key)]
    for key in (x, y):
        if key is not None and key not in results.scenario.core.vary_keys:
            known = ", ".join(results.scenario.core.vary_keys)
            raise PlotError(f"found the key {key!r}; allowed: {known or 'none: nothing varies'}")
    chosen = [key for key in (x, y) if key is not None]
    chosen += [key for key in keys if key not in chosen]
    if not chosen:
        raise PlotError("nothing varies but what is compared: a heat map needs a factor")
    values = per_replica(results, of)
    names = answers(results.scenario)
    rows = []
    for point, vary in enumerate(results.scenario.vary):
        mean = student_interval(values[point]).mean
        one = "" if len(chosen) < 2 else names[point]
        other = names[point] if len(chosen) < 2 else str(vary[chosen[1]])
        rows.append((one, str(vary[chosen[0]]), other, mean))
    schema = dict.fromkeys(COLUMNS[:3], pl.String) | {"mean": pl.Float64}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.group_by("discipline", "x", "y", maintain_order=True).agg(pl.col("mean").mean())


def axis_names(results: Results, x: str | None, y: str | None) -> tuple[str, str]:
    """What the two axes are."""
    keys = [key for key in results.scenario.core.vary_keys if not is_compared(key)]
    chosen = [key for key in (x, y) if key is not None]
    chosen += [key for key in keys if key not in chosen]
    words = [short_key(key) for key in chosen[:2]]
    return (words[0], words[1] if len(words) > 1 else "")


def draw(frame: pl.DataFrame, metric: str, names: tuple[str, str] = ("", "")) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): one panel for each discipline, one scale for all."""
    kind = shown(metric)
    across = sorted_values(frame["x"])
    up = list(looks(frame["y"])) if frame["discipline"][0] == "" else sorted_values(frame["y"])
    disciplines = looks(frame["discipline"])
    columns = min(2, len(disciplines))
    rows = -(-len(disciplines) // columns)
    height = 1.3 + rows * (0.7 + 0.36 * len(up))
    figure, panels = new_panels(rows, columns, (7.2, height))
    values = frame["mean"].drop_nulls() * kind.factor
    low, high = (float(str(values.min())), float(str(values.max()))) if len(values) else (0, 1)
    image = None
    for panel in panels[len(disciplines) :]:
        panel.set_visible(False)
    for panel, (discipline, look) in zip(panels, disciplines.items(), strict=False):
        cells = np.full((len(up), len(across)), np.nan)
        for row in frame.filter(pl.col("discipline") == discipline).iter_rows(named=True):
            if row["mean"] is not None:
                cells[up.index(row["y"]), across.index(row["x"])] = row["mean"] * kind.factor
        image = panel.imshow(cells, cmap="cividis", vmin=low, vmax=high, aspect="auto")
        panel.grid(False)
        for (i, j), value in np.ndenumerate(cells):
            if not np.isnan(value):
                light = (value - low) > 0.55 * (high - low)
                colour = INK if light else "white"
                panel.text(
                    j, i, f"{value:.3g}", ha="center", va="center", color=colour, fontsize=TEXT - 2
                )
        panel.set_xticks(range(len(across)), across)
        labels = looks(up)
        is_named = frame["discipline"][0] == ""
        panel.set_yticks(range(len(up)), [labels[one].label if is_named else one for one in up])
        titled(panel, look.label if discipline else "")
        name_axes(panel, *names)
        panel.label_outer()
    if image is not None:
        bar = figure.colorbar(image, ax=panels, shrink=0.9, pad=0.02)
        bar.set_label(kind.label, color=INK, fontsize=TEXT)
        bar.outline.set_visible(False)  # pyright: ignore[reportCallIssue]
    return figure


def sorted_values(values: pl.Series) -> list[str]:
    """The values by size, where they are numbers; else as they come."""
    known = list(dict.fromkeys(values))
    numbers = scale(known).numbers
    return [value for _, value in sorted(zip(numbers, known, strict=True))]
