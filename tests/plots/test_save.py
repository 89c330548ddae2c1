"""Figures on disk."""

import errno
import io
import os

import matplotlib as mpl
import polars as pl
import pytest

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


def test_a_figure_stays_as_it_is_and_comes_out_as_matplotlib_has_it(tmp_path):
    figure = drawn()
    shown, dpi = figure.canvas, figure.dpi
    paths = save(figure, FRAME, tmp_path, "fig")
    assert (figure.canvas, figure.dpi) == (shown, dpi)
    own = io.BytesIO()
    figure.savefig(own, format="png", dpi=160, metadata={"Software": None})
    assert paths["png"].read_bytes() == own.getvalue()


def test_global_settings_stay_as_they_are(tmp_path):
    before = dict(mpl.rcParams)
    save(drawn(), FRAME, tmp_path, "fig")
    assert dict(mpl.rcParams) == before


def test_a_figure_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    before = {path: path.read_bytes() for path in save(drawn(), FRAME, tmp_path, "fig").values()}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    figure = drawn()
    figure.axes[0].plot([1, 2], [4, 3], label="another")
    with pytest.raises(OSError, match="No space left") as error:
        save(figure, FRAME, tmp_path, "fig")
    assert error.value.filename == str(tmp_path / "fig.svg")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    monkeypatch.undo()
    (tmp_path / "taken.svg").mkdir()
    with pytest.raises(IsADirectoryError) as error:
        save(drawn(), FRAME, tmp_path, "taken")
    assert error.value.filename == str(tmp_path / "taken.svg")
    assert not list(tmp_path.glob("*.part"))
