"""A summary written point by point is the one written at once, and its manifest vouches for it."""

import json
import os
import subprocess
import sys
import time
from hashlib import sha256

import pytest

import sojourn as sj
from sojourn.experiments import partial_tables, summary_file
from sojourn.experiments.manifest import damaged, read_manifest
from sojourn.experiments.share import Share
from sojourn.experiments.summary_file import SummaryFile, remove_unfinished, whole_summary
from sojourn.experiments.sweep import sweep

HEAD = {"sojourn": "1", "complete": True}


@pytest.mark.parametrize("sent", [1, summary_file.WRITE_BACK_BYTES])
@pytest.mark.parametrize("points", [[], [b"{}"], [b'{"a":1}', b'{"a":2}', b'{"a":3}']])
def test_a_line_for_each_point(tmp_path, monkeypatch, points, sent):
    monkeypatch.setattr(summary_file, "WRITE_BACK_BYTES", sent)
    with SummaryFile(tmp_path, HEAD) as file:
        for point in points:
            file.put([point])
        file.take_place()
    text = (tmp_path / "summary.json").read_bytes()
    assert json.loads(text) == HEAD | {"points": [json.loads(point) for point in points]}
    assert len(text.splitlines()) == len(points) + 2
    assert file.manifest_entry == {"bytes": len(text), "sha256": sha256(text).hexdigest()}
    with whole_summary(tmp_path, {**HEAD, "points": points}) as again:
        assert again.manifest_entry == file.manifest_entry
        again.take_place()
    assert (tmp_path / "summary.json").read_bytes() == text


def unfinished(out):
    """The files that have not taken their place."""
    return sorted(out.glob("summary.json.*.part"))


def test_it_grows_while_the_runs_go_on(text, tmp_path, monkeypatch):
    monkeypatch.setattr(partial_tables, "RUNS", 1)
    monkeypatch.setattr("sojourn.workers.threads.TURN_S", 0)
    put = SummaryFile.put
    points = []

    def noted(self, some):
        some = list(some)
        points.extend(some)
        put(self, some)

    told = []
    monkeypatch.setattr(SummaryFile, "put", noted)
    sweep(
        sj.Scenario.from_toml(text()),
        tmp_path / "out",
        jobs=1,
        progress=lambda *_: told.append(len(points)),
    )
    assert told[-1] > 0, "before the last run was told of"
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["points"] == [json.loads(point) for point in points]
    assert not unfinished(tmp_path / "out")


@pytest.mark.parametrize("share", [Share(), Share(2, 3)])
def test_an_interrupted_sweep_leaves_nothing_unfinished(text, tmp_path, share):
    begun = []

    def interrupt(done, total):
        begun.extend(unfinished(tmp_path / "out"))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(sj.Scenario.from_toml(text()), tmp_path / "out", share=share, progress=interrupt)
    assert len(begun) == 1
    assert {path.name for path in (tmp_path / "out").iterdir()} == {".lock", "store"}


def test_what_killed_sweeps_left_goes_with_the_next(text, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    left = [out / "summary.json.1-a.part", out / "summary.json.2-b.part"]
    for path in left:
        path.write_text("{")
    sweep(sj.Scenario.from_toml(text()), out, share=Share(1, 3))
    assert unfinished(out) == left, "another share may be at work on them"
    sweep(sj.Scenario.from_toml(text()), out)
    assert not unfinished(out)


def test_what_a_command_is_writing_stays_where_no_lock_keeps_others_out(
    text, tmp_path, monkeypatch
):
    """As on some network file systems."""
    monkeypatch.setattr("sojourn.store.lock.fcntl", None)
    out = tmp_path / "out"
    out.mkdir()
    at_work = subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    )
    another = out / f"summary.json.{time.time_ns():x}-{at_work.pid:x}-0.part"
    # In a container the command that was killed may have had the number of this one.
    killed = out / f"summary.json.1-{os.getpid():x}-0.part"
    for path in (another, killed):
        path.write_text("{")
    with SummaryFile(out, HEAD):
        mine = set(unfinished(out)) - {another, killed}
        remove_unfinished(out)
        assert set(unfinished(out)) == {another} | mine
    at_work.communicate()
    sweep(sj.Scenario.from_toml(text()), out)
    assert not unfinished(out)


def test_the_same_share_may_be_at_work_twice(text, tmp_path):
    """As where a cluster starts a job again that it believes lost."""
    out = tmp_path / "out"
    again = []

    def once_more(done, total):
        if not again:
            again.append(total)
            sweep(sj.Scenario.from_toml(text()), out, share=Share(2, 3))

    sweep(sj.Scenario.from_toml(text()), out, share=Share(2, 3), progress=once_more)
    assert again == [4]
    assert damaged(out, read_manifest(out)) == []
    assert len(json.loads((out / "summary.json").read_text())["points"]) == 4
    assert not unfinished(out)
