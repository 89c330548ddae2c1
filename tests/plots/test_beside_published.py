"""Published numbers beside ours."""

import polars as pl
import pytest

from sojourn.plots.beside_published import draw

FRAME = pl.DataFrame(
    {
        "quantity": ["Queue", "Queue", "Loss", "Loss"],
        "discipline": ["eqm", "red", "eqm", "red"],
        "published": [18.0, 29.0, None, 51.0],
        "mean": [4.0, 5.0, 300.0, None],
        "low": [3.0, 4.0, 250.0, None],
        "high": [5.0, 6.0, 350.0, None],
    },
    strict=False,
)


def test_a_panel_for_each_quantity():
    figure = draw(FRAME)
    assert [axes.get_title(loc="left") for axes in figure.axes] == ["Queue", "Loss"]
    assert figure.axes[0].get_xlim()[1] > 29
    assert figure.axes[1].get_xlim()[1] > 350
    assert {axes.get_xlim()[0] for axes in figure.axes} == {0}


def test_missing_column():
    with pytest.raises(ValueError, match="lacks published"):
        draw(FRAME.drop("published"))
