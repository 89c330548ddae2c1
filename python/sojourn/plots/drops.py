"""What a link drops and marks, by reason: a bar for each discipline."""

from __future__ import annotations

import polars as pl
from matplotlib.patches import Patch

from sojourn.plots.choice import case_of, labels_of, link_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.reasons import REASON_COLOURS, in_order, in_words
from sojourn.plots.style import INK, TEXT, name_axes, name_rows, new_figure
from sojourn.results import Results

COLUMNS = ("discipline", "kind", "reason", "packets")
"""What the frame must hold: means over replicas; ``kind`` is `drop` or `mark`."""

HATCH = {"drop": "", "mark": "////"}


def gather(results: Results, *, link: str | None = None, case: int | None = None) -> pl.DataFrame:
    """Packets dropped and marked by reason at a link; a run without any counts as zero."""
    labels = labels_of(results, case_of(results, case))
    name = link_of(results, link)
    replicas = results.runs.group_by("point").agg(pl.col("replica").n_unique().alias("runs"))
    found = results.drops.filter(pl.col("link") == name)
    sums = found.group_by("point", "kind", "reason", maintain_order=True).agg(
        pl.col("packets").sum()
    )
    rows = sums.join(replicas, on="point").with_columns(pl.col("packets") / pl.col("runs"))
    # A discipline that loses nothing has its place, too.
    frame = labels.join(rows, on="point", how="left", maintain_order="left_right")
    return frame.with_columns(
        pl.col("kind").fill_null("drop"), pl.col("packets").fill_null(0.0)
    ).select(COLUMNS)


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`)."""
    disciplines = looks(frame["discipline"])
    kinds = in_order(frame.drop_nulls("reason").select("kind", "reason").iter_rows())
    figure, axes = new_figure((7.2, 1.6 + 0.42 * len(disciplines)))
    handles = []
    left = dict.fromkeys(disciplines, 0.0)
    for kind, reason in kinds:
        colour = REASON_COLOURS[reason]
        style = {"facecolor": colour, "edgecolor": "white", "hatch": HATCH[kind], "linewidth": 0.5}
        rows = frame.filter((pl.col("kind") == kind) & (pl.col("reason") == reason))
        for discipline, _, _, packets in rows.select(COLUMNS).iter_rows():
            place = list(disciplines).index(discipline)
            axes.barh(place, packets, 0.62, left=left[discipline], **style)
            left[discipline] += packets
        handles.append(Patch(**style, label=in_words(kind, reason)))
    name_rows(axes, [one.label for one in disciplines.values()])
    axes.set_ylim(len(disciplines) - 0.5, -0.5)
    axes.grid(False, axis="y")
    axes.set_xlim(left=0)
    name_axes(axes, "Packets in a run, mean over replicas", "")
    if handles:
        figure.legend(
            handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=TEXT - 1
        )
    else:
        axes.text(
            0.5,
            0.5,
            "nothing was dropped or marked",
            ha="center",
            color=INK,
            transform=axes.transAxes,
        )
    return figure
