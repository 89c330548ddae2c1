"""Published numbers beside ours: one small panel per quantity, a row per discipline."""

from __future__ import annotations

import polars as pl
from matplotlib.figure import Figure

from sojourn.plots.looks import looks
from sojourn.plots.style import INK, TEXT, new_figure, tidy

COLUMNS = ("quantity", "discipline", "published", "mean", "low", "high")
"""What the frame must hold: numbers of one quantity share a unit; any of them may be null."""


def draw(frame: pl.DataFrame) -> Figure:
    """Draw `frame` (columns as `COLUMNS`), quantities and disciplines in the order given.

    Raises ValueError when a column is missing.
    """
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ValueError(f"the frame of published numbers lacks {', '.join(missing)}")
    quantities = list(dict.fromkeys(frame["quantity"]))
    disciplines = looks(frame["discipline"])
    figure, first = new_figure((7.2, 0.55 + 1.45 * len(quantities)))
    first.remove()
    panels = figure.subplots(len(quantities), 1, squeeze=False)[:, 0]
    for panel, quantity in zip(panels, quantities, strict=True):
        tidy(panel)
        panel.grid(False, axis="y")
        for place, (discipline, shown) in enumerate(disciplines.items()):
            row = frame.filter(
                (pl.col("quantity") == quantity) & (pl.col("discipline") == discipline)
            ).row(0, named=True)
            if row["low"] is not None:
                panel.plot(
                    [row["low"], row["high"]], [place, place], color=shown.colour, linewidth=3
                )
            if row["mean"] is not None:
                panel.plot(row["mean"], place, "o", color=shown.colour, markersize=7)
            if row["published"] is not None:
                panel.plot(
                    row["published"],
                    place,
                    "D",
                    markersize=6,
                    markerfacecolor="white",
                    markeredgecolor=shown.colour,
                    markeredgewidth=1.6,
                    # Whole at the edge, too: a number near zero is a number.
                    clip_on=False,
                )
        panel.set_yticks(range(len(disciplines)), [one.label for one in disciplines.values()])
        panel.set_ylim(len(disciplines) - 0.5, -0.5)
        shown_values = frame.filter(pl.col("quantity") == quantity).select(
            pl.max_horizontal("published", "mean", "high")
        )
        most = shown_values.to_series().max()
        if isinstance(most, int | float) and most > 0:
            panel.set_xlim(0, 1.06 * most)
        panel.set_title(quantity, fontsize=TEXT, color=INK, loc="left")
    handles = [
        panels[0].plot([], [], "o", color=INK, markersize=7, label="ours, with 95 % interval")[0],
        panels[0].plot(
            [],
            [],
            "D",
            markersize=6,
            markerfacecolor="white",
            markeredgecolor=INK,
            label="published",
        )[0],
    ]
    figure.legend(
        handles=handles,
        loc="outside lower center",
        ncols=2,
        frameon=False,
        fontsize=TEXT - 1,
    )
    return figure
