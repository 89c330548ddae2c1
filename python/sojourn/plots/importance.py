"""Which parameter matters: a mark with its interval for each parameter, the case by its colour."""

from __future__ import annotations

import polars as pl

from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.quantities import axis_label
from sojourn.plots.style import legend_below, name_axes, new_panels, titled

COLUMNS = ("quantity", "case", "parameter", "value", "half_width", "is_share")
"""What the frame must hold. A value is a share of the variance, or in the unit of the quantity."""


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): a panel for each quantity, the most important on top."""
    quantities = list(dict.fromkeys(frame["quantity"]))
    marks = looks(frame["case"])
    parameters = frame["parameter"].n_unique()
    height = 0.9 + len(quantities) * (0.9 + parameters * max(0.3, 0.13 * len(marks)))
    figure, panels = new_panels(len(quantities), 1, (7.2, height), share=False)
    for panel, quantity in zip(panels, quantities, strict=True):
        here = frame.filter(pl.col("quantity") == quantity)
        kind = axis_label(quantity.rpartition(".")[2])
        factor = 100.0 if here["is_share"][0] else kind.factor
        order = list(dict.fromkeys(here.sort("value", descending=True)["parameter"]))
        for number, (case, look) in enumerate(marks.items()):
            rows = here.filter(pl.col("case") == case)
            shift = (number - (len(marks) - 1) / 2) * 0.7 / len(marks)
            panel.errorbar(
                [value * factor for value in rows["value"]],
                [order.index(one) + shift for one in rows["parameter"]],
                xerr=[value * factor for value in rows["half_width"]],
                linestyle="none",
                marker=look.marker,
                color=look.colour,
                capsize=2,
                label=look.label,
            )
        panel.set_yticks(range(parameters), order)
        panel.set_ylim(parameters - 0.5, -0.5)
        panel.set_xlim(left=0)
        panel.grid(False, axis="y")
        if here["is_share"][0]:
            titled(panel, kind.words[:1].upper() + kind.words[1:])
            name_axes(panel, "Share of the variance, interactions counted (%)", "")
        else:
            unit = f" ({kind.unit})" if kind.unit else ""
            name_axes(panel, f"Change of {kind.words} over the whole range{unit}", "")
    if list(marks) != [""]:
        legend_below(figure, panels[0])
    return figure
