"""A summary written point by point is the one written at once, and its manifest vouches for it."""

import json
from hashlib import sha256

import pytest

import sojourn as sj
from sojourn.experiments import drafts
from sojourn.experiments.share import Share
from sojourn.experiments.summary_file import SummaryFile, write_summary
from sojourn.experiments.sweep import sweep

HEAD = {"sojourn": "1", "complete": True}


@pytest.mark.parametrize("points", [[], [b"{}"], [b'{"a":1}', b'{"a":2}', b'{"a":3}']])
def test_a_line_for_each_point(tmp_path, points):
    with SummaryFile(tmp_path, HEAD) as file:
        for point in points:
            file.put([point])
        file.take_place()
    text = (tmp_path / "summary.json").read_bytes()
    assert json.loads(text) == HEAD | {"points": [json.loads(point) for point in points]}
    assert len(text.splitlines()) == len(points) + 2
    assert file.told_by == {"bytes": len(text), "sha256": sha256(text).hexdigest()}
    assert write_summary(tmp_path, {**HEAD, "points": points}) == file.told_by
    assert (tmp_path / "summary.json").read_bytes() == text


def test_it_grows_while_the_runs_go_on(text, tmp_path, monkeypatch):
    monkeypatch.setattr(drafts, "RUNS", 1)
    monkeypatch.setattr("sojourn.threads.TURN_S", 0)
    put = SummaryFile.put
    seen = []

    def noted(self, points):
        put(self, points)
        seen.append(self.told_by["bytes"])

    done = []
    monkeypatch.setattr(SummaryFile, "put", noted)
    sweep(
        sj.Scenario.from_toml(text()),
        tmp_path / "out",
        jobs=1,
        progress=lambda *_: done.append(len(seen)),
    )
    assert done[-1] > 0, "before the last run was told of"
    assert seen == sorted(seen)
    assert not list((tmp_path / "out").glob("*.part"))


@pytest.mark.parametrize("share", [Share(), Share(2, 3)])
def test_an_interrupted_sweep_leaves_nothing_unfinished(text, tmp_path, share):
    names = []

    def interrupt(done, total):
        names.extend(path.name for path in (tmp_path / "out").glob("*.part"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", share=share, progress=interrupt)
    assert names == ["summary.json.part" if share.is_whole else "summary.json.2.part"]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".lock", "store"}


def test_what_killed_sweeps_left_goes_with_the_next(text, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    for name in ("summary.json.part", "summary.json.2.part"):
        (out / name).write_text("{")
    sweep(sj.Scenario.from_toml(text()), out, share=Share(1, 3))
    assert len(list(out.glob("*.part"))) == 2, "another share may be at work on them"
    sweep(sj.Scenario.from_toml(text()), out)
    assert not list(out.glob("*.part"))
