"""Panels show every series, and what others printed beside it."""

import polars as pl
import pytest

from sojourn.plots.looks import Look
from sojourn.plots.panels import Panels, draw, place_text

LOOKS = {"udp": Look("UDP", "#D55E00", "o"), "tcp": Look("TCP", "#0072B2", "s")}


def frame(panels=3, beside=False):
    rows = [
        {
            "panel": f"panel {p}",
            "series": name,
            "x": 2.0**k,
            "mean": k,
            "low": k - 0.5,
            "high": k + 0.5,
        }
        | ({"beside": 1.0 if k == 0 else None} if beside else {})
        for p in range(panels)
        for name in LOOKS
        for k in range(4)
    ]
    return pl.DataFrame(rows, schema_overrides={"mean": pl.Float64})


def test_a_panel_for_each_with_all_series():
    figure = draw(frame(), Panels("x (packets)", "y (ms)", LOOKS, log_x=True))
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"panel {p}" for p in range(3)]
    for axes in figure.axes:
        labels = [line.get_label() for line in axes.get_lines() if line.get_label()[0] != "_"]
        assert labels == ["UDP", "TCP"]
        assert len(axes.collections) == 2
        assert axes.get_ylim()[0] == 0
    # Panels 1 and 2 are the lowest of their columns.
    assert [axes.get_xlabel() for axes in figure.axes] == ["", "x (packets)", "x (packets)"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["UDP", "TCP"]


def test_printed_numbers_are_named():
    what = Panels("x", "y", LOOKS, beside="published", levels={"panel 0": 2.0}, level_text="bound")
    figure = draw(frame(1, beside=True), what)
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["UDP", "TCP", "published", "bound"]


def test_whole_places_have_whole_ticks():
    rows = frame(1).with_columns((pl.col("x") * 7).alias("x"))
    many = pl.concat([rows.with_columns(pl.col("x") + shift) for shift in (0, 1, 2)])
    axes = draw(many, Panels("run", "y", LOOKS, style="points")).axes[0]
    assert all(tick == int(tick) for tick in axes.get_xticks())


@pytest.mark.parametrize(
    ("place", "text"), [(0.0078125, "1/128"), (64000, "64k"), (90, "90"), (0.3, "0.3")]
)
def test_places_read_as_people_write_them(place, text):
    assert place_text(place) == text


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match="lacks mean"):
        draw(frame().drop("mean"), Panels("x", "y"))
