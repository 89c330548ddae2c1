"""Figures on disk."""

import matplotlib as mpl
import polars as pl

from sojourn.plots.save import save
from sojourn.plots.style import new_figure

FRAME = pl.DataFrame({"x": [1, 2], "y": [3.5, None]})


def drawn():
    figure, axes = new_figure()
    axes.plot([1, 2], [3, 4], label="a line")
    return figure


def test_all_formats_and_the_data(tmp_path):
    paths = save(drawn(), FRAME, tmp_path / "new" / "folder", "fig")
    assert {ending: path.name for ending, path in paths.items()} == {
        "png": "fig.png",
        "svg": "fig.svg",
        "pdf": "fig.pdf",
        "csv": "fig.csv",
    }
    assert paths["csv"].read_text() == "x,y\n1,3.5\n2,\n"
    assert paths["png"].read_bytes().startswith(b"\x89PNG")


def test_the_same_figure_gives_the_same_bytes(tmp_path):
    first = save(drawn(), FRAME, tmp_path / "a", "fig")
    second = save(drawn(), FRAME, tmp_path / "b", "fig")
    for ending in first:
        assert first[ending].read_bytes() == second[ending].read_bytes()


def test_global_settings_stay_as_they_are(tmp_path):
    before = dict(mpl.rcParams)
    save(drawn(), FRAME, tmp_path, "fig")
    assert dict(mpl.rcParams) == before
