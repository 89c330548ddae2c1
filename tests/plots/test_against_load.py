"""Figures against load show every discipline, in its own look."""

import polars as pl
import pytest

from sojourn.plots.against_load import Inset, Level, LoadFigure, draw
from sojourn.plots.looks import look

DISCIPLINES = ("eqm", "red", "rem", "sfq", "droptail")


def frame(loads=12):
    return pl.DataFrame(
        [
            {
                "discipline": name,
                "load": 9 * (step + 1) / loads,
                "mean": float(place + step),
                "low": place + step - 0.5,
                "high": place + step + 0.5,
            }
            for place, name in enumerate(DISCIPLINES)
            for step in range(loads)
        ]
    )


def lines(axes):
    return {line.get_label(): line for line in axes.get_lines() if line.get_label()[0] != "_"}


def test_a_line_and_a_band_for_each():
    figure = draw(frame(), LoadFigure("Queue (packets)"))
    axes = figure.axes[0]
    assert list(lines(axes)) == [look(name).label for name in DISCIPLINES]
    assert len(axes.collections) == len(DISCIPLINES)
    assert axes.get_ylabel() == "Queue (packets)"
    assert axes.get_ylim()[0] == 0


def test_levels_always_fit():
    figure = draw(frame(), LoadFigure("y", levels=(Level(99, "far"), Level(3, "a"), Level(3, "b"))))
    axes = figure.axes[0]
    assert axes.get_ylim()[1] > 99
    heights = sorted(text.xyann[1] for text in axes.texts)
    assert heights[1] - heights[0] > 1


def test_capacity_and_inset():
    figure = draw(frame(), LoadFigure("y", capacity=8.0, inset=Inset(7.5, (0.1, 0.3, 0.5, 0.5))))
    axes = figure.axes[0]
    assert "link capacity 8 Mbit/s" in [text.get_text() for text in axes.texts]
    (inset,) = axes.child_axes
    assert len(lines(inset)) == len(DISCIPLINES)
    assert min(lines(inset)["RED"].get_xdata()) == pytest.approx(7.5)


def test_missing_intervals_are_no_error():
    empty = frame().with_columns(pl.lit(None, pl.Float64).alias("low"))
    axes = draw(empty, LoadFigure("y")).axes[0]
    assert len(axes.collections) == 0


def test_missing_column():
    with pytest.raises(ValueError, match="lacks high"):
        draw(frame().drop("high"), LoadFigure("y"))
