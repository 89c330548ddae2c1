"""Tables made in chunks, beside the runs, are those made at once of all."""

import json
import subprocess
import sys

import polars as pl
import pytest

import sojourn as sj
from sojourn.experiments import partial_tables
from sojourn.experiments.share import Share
from sojourn.experiments.sweep import sweep

from .conftest import PATIENCE_S, tables_of

MIXED = """
name = "mixed"
duration = "1 s"
replicas = {replicas}
series = "500 ms"

[dumbbell]
rtt = "20 ms"
bottleneck = {{ rate = "2 Mbit/s", queue = {{ discipline = "droptail", limit = "20 packets" }} }}

[[flow]]
name = "web"
count = 2
transport = {{ protocol = "tcp" }}
traffic = {{ source = "cbr", rate = "1 Mbit/s" }}
start = "uniform(0 s, 100 ms)"

[vary]
"flow.web.transport" = [{{ protocol = "tcp" }}, {{ protocol = "udp" }}]
"flow.web.traffic.rate" = ["1500 kbit/s", "10 kbit/s"]
"dumbbell.rtt" = ["10 ms", "20 ms", "30 ms"]
"""


@pytest.fixture
def begun(monkeypatch):
    """The tasks of each chunk that is made."""
    made = []
    make = partial_tables.PartialTables._make

    def noted(self, points, tasks):
        made.append((points, [(task.point, task.replica) for task in tasks]))
        return make(self, points, tasks)

    monkeypatch.setattr(partial_tables.PartialTables, "_make", noted)
    return made


def assert_is_that_of_a_run(out, scenario):
    results = sj.run(scenario)
    for name, frame in results.frames().items():
        assert tables_of(out)[name].equals(frame), name
    assert json.loads((out / "summary.json").read_text()) == results.summary()


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("replicas", "runs", "count"), [(1, 1, 12), (1, 5, 3), (1, 12, 1), (3, 7, 6)]
)
def test_any_stretches_make_the_same_tables(
    monkeypatch, begun, tmp_path, replicas, runs, count, jobs
):
    monkeypatch.setattr(partial_tables, "RUNS", runs)
    # UDP measures less than TCP: some chunks have columns that others do not have.
    scenario = sj.Scenario.from_toml(MIXED.format(replicas=replicas))
    sweep(scenario, tmp_path / "out", jobs=jobs)
    assert len(begun) == count, "each once"
    assert sorted(run for _, tasks in begun for run in tasks) == [
        (point, replica) for point in range(12) for replica in range(replicas)
    ]
    assert_is_that_of_a_run(tmp_path / "out", scenario)


def test_stretches_whose_metrics_agree_are_summed_up_once(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 2)
    monkeypatch.setattr("sojourn.results.Results.summarised", pytest.fail)
    scenario = sj.Scenario.from_toml(
        MIXED.format(replicas=1).replace(', { protocol = "udp" }]', "]")
    )
    sweep(scenario, tmp_path / "out", jobs=2)
    monkeypatch.undo()
    assert_is_that_of_a_run(tmp_path / "out", scenario)


def test_points_alike_are_named_wherever_they_are(monkeypatch, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 2)
    text = MIXED.format(replicas=2).replace(
        '["10 ms", "20 ms", "30 ms"]',
        '["10 ms", "20 ms"]\n"flow.web.start" = ["0 s", "uniform(0 s, 1 ms)"]',
    )
    results = sweep(sj.Scenario.from_toml(text), tmp_path / "out")
    expected = sj.run(sj.Scenario.from_toml(text))
    assert 1 < len(expected.alike) < 16
    assert results.warnings == expected.warnings
    assert len(results.warnings) == 1


def test_drafts_begin_before_the_last_run(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 2)
    # All of these would be one turn.
    monkeypatch.setattr("sojourn.workers.threads.TURN_S", 0)
    seen = []
    sweep(
        sj.Scenario.from_toml(MIXED.format(replicas=1)),
        tmp_path / "out",
        jobs=1,
        progress=lambda done, total: seen.append((done, len(begun))),
    )
    assert dict(seen)[12] >= 2, "a thread does what comes first, first"
    assert [points for points, _ in begun] == [range(n, n + 2) for n in range(0, 12, 2)]


def test_what_a_store_holds_already_is_in_the_drafts(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 4)
    part = MIXED.replace(', "30 ms"]', "]")
    sweep(sj.Scenario.from_toml(part.format(replicas=1)), tmp_path / "out")
    begun.clear()
    whole = sj.Scenario.from_toml(MIXED.format(replicas=2))
    sweep(whole, tmp_path / "out")
    assert len(begun) == 6
    assert_is_that_of_a_run(tmp_path / "out", whole)


def test_shares_of_more_machines_than_runs(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 2)
    scenario = sj.Scenario.from_toml(MIXED.format(replicas=1))
    for number in (1, 12, 13):
        out = tmp_path / str(number)
        sweep(scenario, out, share=Share(number, 13))
        assert pl.read_parquet(out / "runs.parquet")["point"].to_list() == (
            [number - 1] if number < 13 else []
        )
        assert len(json.loads((out / "summary.json").read_text())["points"]) == 12


def test_where_runs_decide_on_runs_drafts_wait_for_the_last(monkeypatch, begun, tmp_path):
    monkeypatch.setattr(partial_tables, "RUNS", 2)
    text = MIXED.format(replicas=2).replace("[dumbbell]", 'warmup = "auto"\n\n[dumbbell]')
    scenario = sj.Scenario.from_toml(text)
    sweep(scenario, tmp_path / "out", jobs=2)
    assert all(len(tasks) == 2 for _, tasks in begun)
    assert len(begun) == 12
    assert_is_that_of_a_run(tmp_path / "out", scenario)


FIRST_ARRAY = """
import {first}
import sys, threading, numpy, polars

asked = []

def note(frame, event, _):
    if event == "call" and frame.f_code.co_name == "_import":
        asked.append(frame.f_code.co_filename)

def give_an_array():
    sys.setprofile(note)
    polars.Series(numpy.zeros(1))

thread = threading.Thread(target=give_an_array)
thread.start()
thread.join()
print(any("polars" in name for name in asked))
"""


@pytest.mark.parametrize(("first", "imports"), [("polars", "True"), ("sojourn.results", "False")])
def test_polars_imports_numpy_in_no_thread(first, imports):
    """It does at its first array, and two threads that give it one at once may fail."""
    program = [sys.executable, "-c", FIRST_ARRAY.format(first=first)]
    said = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip() == imports


WHAT_IS_IMPORTED = """
import builtins, sys, threading, time
from pathlib import Path
import sojourn as sj
from sojourn.experiments import partial_tables
from sojourn.experiments.sweep import sweep

usual_import, usual_work = builtins.__import__, partial_tables._import_frames
known, found = None, []

def noted(name, *more):
    if threading.current_thread() is threading.main_thread():
        if known is not None and name and name not in known:
            found.append(name)
    return usual_import(name, *more)

def slowly():
    global known
    known = set(sys.modules)
    time.sleep(0.5)
    usual_work()
    known = None

if __name__ == "__main__":
    builtins.__import__, partial_tables._import_frames = noted, slowly
    sweep(Path(sys.argv[1]), sys.argv[2], jobs=2)
    print(found)
"""
"""Says what the main thread imports while another imports what makes frames."""

COIN = """
import sojourn as sj


class Coin(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.DROP if self.random() < 0.1 else sj.queue.ACCEPT
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("[dumbbell]", 'warmup = "auto"\n\n[dumbbell]'),
        ('discipline = "droptail", limit = "20 packets"', 'discipline = "coin:Coin"'),
    ],
    ids=["plain", "runs decide on runs", "processes"],
)
def test_ctrl_c_never_meets_two_threads_that_import_the_same(tmp_path, old, new):
    """It would leave a module locked, and whoever imports that next would wait for ever."""
    (tmp_path / "coin.py").write_text(COIN)
    (tmp_path / "mixed.toml").write_text(MIXED.format(replicas=2).replace(old, new))
    (tmp_path / "program.py").write_text(WHAT_IS_IMPORTED)
    program = [sys.executable, "program.py", "mixed.toml", "out"]
    said = subprocess.run(
        program, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=PATIENCE_S
    )
    assert said.stdout.strip() == "[]", said.stderr
