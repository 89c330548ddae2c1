"""The tables of runs that have just finished: taken once, and never many of them kept."""

import pickle
from array import array

import pytest

from sojourn.experiments import recent
from sojourn.experiments.record import decode, packed
from sojourn.tasks import Task


def tables(number: float) -> dict:
    """Tables of one run, which are told apart by a number."""
    return {"total": {"name": [""], "x": array("d", [number])}}


def test_what_is_kept_is_taken_once():
    kept = recent.Recent()
    first = tables(1)
    kept.keep(Task(0, 0), packed(first))
    kept.keep(Task(0, 1), packed(tables(2)))
    assert kept.take(Task(0, 0)) is first
    assert kept.take(Task(0, 0)) is None
    assert kept.take(Task(0, 1)) == tables(2)
    assert kept.take(Task(7, 0)) is None


@pytest.mark.parametrize("room", [0, 1, 3])
def test_only_the_last_are_kept(monkeypatch, room):
    every = [packed(tables(number)) for number in range(5)]
    monkeypatch.setattr(recent, "MOST_BYTES", room * max(len(each.payload) for each in every))
    kept = recent.Recent()
    for number, each in enumerate(every):
        kept.keep(Task(number, 0), each)
    found = [kept.take(Task(number, 0)) is not None for number in range(5)]
    assert found == [number >= 5 - room for number in range(5)]


def test_another_process_sends_only_what_is_packed():
    sent = pickle.loads(pickle.dumps(packed(tables(1))))
    assert sent.tables is None
    assert decode(sent.payload) == tables(1)
    kept = recent.Recent()
    kept.keep(Task(0, 0), sent)
    assert kept.take(Task(0, 0)) is None
