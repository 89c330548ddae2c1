"""Figures over time."""

import polars as pl
import pytest

from sojourn.plots import lines_over_time
from sojourn.plots.lines_over_time import Strand, TimeFigure

STRANDS = {"a": Strand("line a", "#0072B2"), "b": Strand("line b", "#D55E00")}


def frame(panels):
    rows = [
        {"panel": panel, "line": line, "time_s": float(t), "value": float(t + 10 * k)}
        for k, panel in enumerate(panels)
        for line in STRANDS
        for t in range(5)
    ]
    return pl.DataFrame(rows)


def drawn(panels, **options):
    names = {panel: panel.upper() for panel in panels}
    return lines_over_time.draw(frame(panels), TimeFigure("Packets", STRANDS, names, **options))


def test_one_panel_has_named_axes():
    figure = drawn(["x"])
    (axes,) = figure.axes
    assert axes.get_xlabel() == "Time (s)"
    assert axes.get_ylabel() == "Packets"
    assert len(axes.lines) == 4  # two of data, two for the legend
    assert axes.get_ylim()[0] == 0


def test_panels_share_an_axis_that_holds_all_of_them():
    figure = drawn(["x", "y", "z"])
    panels = [axes for axes in figure.axes if axes.get_title(loc="left")]
    assert [axes.get_title(loc="left") for axes in panels] == ["X", "Y", "Z"]
    assert {axes.get_ylim() for axes in panels} == {panels[0].get_ylim()}
    assert panels[0].get_ylim()[1] >= 24


def test_the_legend_takes_the_empty_place():
    *_, free = drawn(["x", "y", "z"]).axes
    assert [text.get_text() for text in free.get_legend().get_texts()] == ["line a", "line b"]
    figure = drawn(["x", "y", "z", "w"])
    assert len(figure.legends) == 1


def test_lines_of_one_name_share_an_entry():
    same = {"a": Strand("flows", "#000"), "b": Strand("flows", "#000")}
    figure = lines_over_time.draw(frame(["x"]), TimeFigure("y", same, {"x": ""}))
    assert len(figure.legends[0].get_texts()) == 1


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="lacks value"):
        lines_over_time.draw(frame(["x"]).drop("value"), TimeFigure("y", STRANDS, {"x": ""}))
