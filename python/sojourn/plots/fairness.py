"""Fairness: Jain's index of each discipline, and the goodput that each flow has of it.

Jain's index is 1 where all flows have the same goodput and 1/n where one of n has all (Jain, Chiu,
Hawe, "A quantitative measure of fairness and discrimination", DEC TR-301, 1984).
"""

from __future__ import annotations

import polars as pl

from sojourn.plots.choice import PlotError, case_of, flows_of, labels_of
from sojourn.plots.looks import looks
from sojourn.plots.plot import Plot
from sojourn.plots.style import FAINT, name_axes, name_rows, new_panels
from sojourn.results import Results
from sojourn.stats.alike import sampled
from sojourn.stats.intervals import student_interval

COLUMNS = ("discipline", "of", "name", "mean", "low", "high")
"""What the frame must hold; ``of`` is `jain_index`, or `goodput_bps` of the flow ``name``."""


def gather(results: Results, *, flow: str | None = None, case: int | None = None) -> pl.DataFrame:
    """Index and goodputs over all flows, or over those that are named. Raises PlotError."""
    labels = labels_of(results, case_of(results, case))
    flows, index = results.flows, results.totals
    if flow is not None:
        chosen = flows_of(results, flow)
        groups = set(flows.filter(pl.col("flow").is_in(chosen))["group"])
        all_of_them = flows.filter(pl.col("group").is_in(groups))
        flows = flows.filter(pl.col("flow").is_in(chosen))
        is_group = len(groups) == 1 and len(flows) == len(all_of_them)
        index = results.groups.filter(pl.col("group").is_in(groups)) if is_group else _index(flows)
    if flows["flow"].n_unique() < 2:
        found = "no flow" if flows.is_empty() else "a single flow"
        of = f" of the name {flow!r}" if flow is not None else ""
        raise PlotError(f"found {found}{of}; fairness is between several")
    rows = []
    for part, metric, name in ((index, "jain_index", None), (flows, "goodput_bps", "flow")):
        keys = ["point", "discipline", *([name] if name else [])]
        found = labels.join(part, on="point", maintain_order="left_right")
        for (point, discipline, *of), of_key in found.group_by(keys, maintain_order=True):
            one = student_interval(sampled(of_key[metric].to_list(), point in results.alike))
            rows.append((discipline, metric, *(of or [""]), one.mean, one.low, one.high))
    texts: dict[str, type[pl.DataType]] = dict.fromkeys(COLUMNS[:3], pl.String)
    schema = texts | dict.fromkeys(COLUMNS[3:], pl.Float64)
    return pl.DataFrame(rows, schema=schema, orient="row")


def _index(flows: pl.DataFrame) -> pl.DataFrame:
    """Jain's index over the flows of each run; none where no flow has any goodput."""
    goodput = pl.col("goodput_bps")
    index = goodput.sum() ** 2 / (pl.len() * (goodput**2).sum())
    runs = flows.group_by("point", "replica", maintain_order=True).agg(index.alias("jain_index"))
    return runs.with_columns(pl.col("jain_index").fill_nan(None))


ROOM = 0.05
"""Beyond the outermost marks, as a share of what the axis shows: no mark is cut."""


def draw(frame: pl.DataFrame) -> Plot:
    """Draw `frame` (columns as `COLUMNS`): the index at the left, the flows at the right."""
    disciplines = looks(frame["discipline"])
    height = 1.2 + 0.42 * len(disciplines)
    figure, (left, right) = new_panels(1, 2, (7.2, height), share=False)
    for place, (discipline, look) in enumerate(disciplines.items()):
        rows = frame.filter(pl.col("discipline") == discipline)
        for one in rows.filter(pl.col("of") == "jain_index").iter_rows(named=True):
            if one["low"] is not None:
                ends = [one["low"], min(one["high"], 1.0)]
                left.plot(ends, [place, place], color=look.colour, linewidth=3)
            if one["mean"] is not None:
                left.plot(one["mean"], place, look.marker, color=look.colour, markersize=7)
        flows = rows.filter(pl.col("of") == "goodput_bps")["mean"].drop_nulls()
        goodputs = [goodput / 1e6 for goodput in flows]
        if goodputs:
            ends = [min(goodputs), max(goodputs)]
            right.plot(ends, [place, place], color=FAINT, linewidth=5, zorder=1)
            marks = right.plot(goodputs, [place] * len(goodputs), look.marker, color=look.colour)
            # A flow that gets next to nothing has a whole mark too, over the axis.
            marks[0].set(alpha=0.7, clip_on=False)
    name_rows(left, [one.label for one in disciplines.values()])
    right.set_yticks(range(len(disciplines)), [""] * len(disciplines))
    for panel in (left, right):
        panel.set_ylim(len(disciplines) - 0.5, -0.5)
        panel.grid(False, axis="y")
    index = frame.filter(pl.col("of") == "jain_index")
    # An interval may reach below any mark.
    least = min([*index["mean"].drop_nulls(), *index["low"].drop_nulls()], default=1.0)
    most = max(frame.filter(pl.col("of") == "goodput_bps")["mean"].drop_nulls(), default=0.0) / 1e6
    room = ROOM * max(1 - least, 0.1)
    left.set_xlim(min(0.9, least - room), 1 + room)
    right.set_xlim(0, (1 + ROOM) * most or 1)
    name_axes(left, "Jain's fairness index\nwith 95 % interval", "")
    name_axes(right, "Goodput of each flow (Mbit/s)", "")
    return figure
