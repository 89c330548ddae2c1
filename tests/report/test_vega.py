"""The libraries that draw a page's figures: made once, then kept."""

import os

import pytest

from sojourn.report import vega


@pytest.fixture
def made(monkeypatch):
    """Each time that they are made, by whom a short text comes back."""
    calls = []

    def javascript_bundle(vl_version):
        calls.append(vl_version)
        return "const closing = '</script>';"

    monkeypatch.setattr(vega.vl_convert, "javascript_bundle", javascript_bundle)
    vega.bundle.cache_clear()
    yield calls
    vega.bundle.cache_clear()


def test_they_are_made_once_for_all_processes(made, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = vega.bundle()
    vega.bundle.cache_clear()
    assert vega.bundle() == first == r"(() => {const closing = '<\/script>';})();"
    assert len(made) == 1
    (kept,) = (tmp_path / "sojourn").iterdir()
    assert made[0] in kept.name


def test_where_nothing_can_be_kept_they_are_made_each_time(made, monkeypatch, tmp_path):
    (tmp_path / "sojourn").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first = vega.bundle()
    vega.bundle.cache_clear()
    assert vega.bundle() == first
    assert len(made) == 2
    assert os.listdir(tmp_path) == ["sojourn"]
