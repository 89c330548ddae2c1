"""The tables of runs that have just finished: taken once, and never many of them kept."""

import pickle

import pytest

from sojourn import Scenario
from sojourn._core import Cancel, Tables
from sojourn.store import cache
from sojourn.store.record import packed
from sojourn.workers.tasks import Task

SCENARIO = """
name = "recent"
duration = "10 ms"

[dumbbell]
rtt = "1 ms"
bottleneck = { rate = "10 Mbit/s" }

[[flow]]
name = "stream"
transport = { protocol = "udp" }
traffic = { source = "poisson", rate = "5 Mbit/s" }
"""


@pytest.fixture(scope="module")
def runs() -> list[Tables]:
    """The tables of five runs."""
    core = Scenario.from_toml(SCENARIO).core
    return [core.run(0, replica, Cancel()) for replica in range(5)]


def test_what_is_kept_is_taken_once(runs):
    kept = cache.Cache()
    kept.keep(Task(0, 0), packed(runs[0]))
    kept.keep(Task(0, 1), packed(runs[1]))
    assert kept.take(Task(0, 0)) is runs[0]
    assert kept.take(Task(0, 0)) is None
    assert kept.take(Task(0, 1)) is runs[1]
    assert kept.take(Task(7, 0)) is None


@pytest.mark.parametrize("room", [0, 1, 3])
def test_only_the_last_are_kept(monkeypatch, runs, room):
    every = [packed(tables) for tables in runs]
    lengths = [len(each.payload) for each in every]
    monkeypatch.setattr(cache, "MOST_BYTES", sum(lengths[len(lengths) - room :]))
    kept = cache.Cache()
    for number, each in enumerate(every):
        kept.keep(Task(number, 0), each)
    found = [kept.take(Task(number, 0)) is not None for number in range(5)]
    assert found == [number >= 5 - room for number in range(5)]


def test_another_process_sends_only_what_is_packed(runs):
    sent = pickle.loads(pickle.dumps(packed(runs[0])))
    assert sent.tables is None
    assert sent.payload == runs[0].packed()
    kept = cache.Cache()
    kept.keep(Task(0, 0), sent)
    assert kept.take(Task(0, 0)) is None
