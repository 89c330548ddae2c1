"""How far runs are is told while they go on, not at their ends alone."""

import pytest

import sojourn as sj
from sojourn.experiments.sweep import sweep
from sojourn.workers.listener import FineProgress

MINE = """
import sojourn as sj


class Open(sj.queue.Discipline):
    def enqueue(self, now, size, flow, ecn):
        return sj.queue.ACCEPT
"""


@pytest.fixture
def told(monkeypatch):
    """What a run is told to: how many are done each time, as often as the threads look up."""
    monkeypatch.setattr("sojourn.workers.threads.LOOK_INTERVAL_S", 0.01)
    heard: list[tuple[int, float]] = []
    return heard, FineProgress(lambda done, _, passed: heard.append((done, passed)))


def long(queue: str, duration: str) -> sj.Scenario:
    flows = 2 * sj.tcp(start="uniform(0 s, 1 s)")
    line = {"rate": "50 Mbit/s", "rtt": "20 ms", "flows": flows, "replicas": 2}
    return sj.dumbbell(**line, queue={"discipline": queue}, duration=duration)


def check(heard: list[tuple[int, float]]) -> None:
    """It grows, counts runs in part before they are done, and ends with both."""
    assert heard == sorted(heard)
    passed = [passed for _, passed in heard]
    assert passed == sorted(passed)
    assert passed[-1] == 2
    assert sorted({done for done, _ in heard}) == [0, 1, 2]
    assert any(0 < passed < 1 for done, passed in heard if done == 0)
    assert any(1 < passed < 2 for done, passed in heard if done == 1)


def test_a_run_under_way_counts_in_part(told):
    heard, progress = told
    sj.run(long("codel", "500 s"), jobs=1, progress=progress)
    check(heard)


def test_so_it_does_in_a_sweep(told, tmp_path):
    heard, progress = told
    sweep(long("red", "500 s"), tmp_path, jobs=1, progress=progress)
    check(heard)


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "open_door.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    return "open_door:Open"


def test_so_it_does_where_the_discipline_is_python(told, mine):
    heard, progress = told
    sj.run(long(mine, "100 s"), jobs=1, progress=progress)
    check(heard)


def test_so_it_does_in_processes(told, mine):
    heard, progress = told
    sj.run(long(mine, "1500 s"), jobs=2, progress=progress)
    assert heard == sorted(heard)
    assert heard[-1] == (2, 2)
    assert any(0 < passed < 2 for done, passed in heard if done == 0)


def test_a_function_hears_of_whole_runs_alone(told):
    heard, _ = told
    sj.run(long("codel", "500 s"), jobs=1, progress=lambda done, _: heard.append(done))
    assert heard == [1, 2]


def test_so_it_does_with_a_series_so_fine_that_hardly_anything_happens_between(told):
    heard, progress = told
    fine = {"series": "100 us"}
    sj.run(long("codel", "5 s").with_overrides(fine), jobs=1, progress=progress)
    check(heard)
