"""Threads for runs: they give back what they took, and nothing goes on behind the caller's back."""

import sys
import threading
import time
from contextlib import ExitStack, closing

import pytest

from sojourn.workers.tasks import Task
from sojourn.workers.threads import started

TASKS = [Task(point, 0) for point in range(100)]


def test_the_interpreter_is_left_as_it_was():
    before = sys.getswitchinterval()
    with started(2):
        assert sys.getswitchinterval() < before
    assert sys.getswitchinterval() == before
    with pytest.raises(ZeroDivisionError), started(2):
        raise ZeroDivisionError
    assert sys.getswitchinterval() == before


@pytest.mark.parametrize("first_out", [0, 1])
def test_the_interpreter_is_left_as_it_was_by_runs_at_the_same_time(first_out):
    before = sys.getswitchinterval()
    both = [ExitStack(), ExitStack()]
    for each in both:
        each.enter_context(started(1))
    both[first_out].close()
    assert sys.getswitchinterval() < before
    both[1 - first_out].close()
    assert sys.getswitchinterval() == before


def test_what_has_begun_ends_within_and_the_rest_is_dropped():
    began, go_on = threading.Event(), threading.Event()
    done, futures = [], []

    def wait():
        began.set()
        go_on.wait()
        done.append("first")

    def go_wrong():
        with started(1) as threads:
            futures.append(threads.beside(wait))
            futures.append(threads.beside(lambda: done.append("second")))
            began.wait()
            threading.Timer(0.05, go_on.set).start()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        go_wrong()
    first, second = futures
    assert first.done()
    assert second.cancelled()
    assert done == ["first"]


@pytest.fixture
def cancels(monkeypatch):
    """How often runs were told to end."""
    told = []

    class Told:
        def set(self):
            told.append(True)

        def is_set(self):
            return bool(told)

    monkeypatch.setattr("sojourn.workers.threads.Cancel", Told)
    return told


def test_runs_end_where_their_caller_takes_no_more(cancels, monkeypatch):
    monkeypatch.setattr("sojourn.workers.threads.TURN_S", 0)
    done = []
    with started(2) as threads:
        with closing(threads.each(lambda task: done.append(task), TASKS)) as finished:
            next(batch for batch in finished if batch)
        assert cancels
    assert len(done) <= 5, "two at work, two that wait, one that was taken"


def test_runs_end_where_one_fails(cancels):
    def fail(task):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), started(2) as threads:
        list(threads.each(fail, TASKS))
    assert cancels


def test_a_turn_ends_where_the_caller_takes_no_more(cancels):
    done = []

    def work(task):
        done.append(task)
        # In the middle of a turn, which lasts longer than that.
        cancels.append(True)

    with started(1) as threads:
        assert [batch for batch in threads.each(work, TASKS) if batch] == [[(TASKS[0], None)]]
    assert done == TASKS[:1]


def test_what_was_done_before_one_fails_is_handed_over(cancels):
    def work(task):
        return 1 // (len(TASKS) - 1 - task.point)

    found = []
    with pytest.raises(ZeroDivisionError), started(1) as threads:
        found.extend(each for batch in threads.each(work, TASKS) for each in batch)
    assert [task for task, _ in found] == TASKS[:-1]
    assert cancels


def test_what_others_finish_when_one_has_failed_is_handed_over():
    both_have_begun = threading.Barrier(2)

    def work(task):
        both_have_begun.wait(timeout=60)
        if task.point == 0:
            raise ZeroDivisionError
        time.sleep(0.2)
        return "done"

    found = []
    with pytest.raises(ZeroDivisionError), started(2) as threads:
        found.extend(each for batch in threads.each(work, TASKS[:2]) for each in batch)
    assert found == [(TASKS[1], "done")]


def test_all_come_once_and_none_is_told_to_end(cancels):
    with started(3) as threads:
        found = [each for batch in threads.each(lambda task: task.point, TASKS) for each in batch]
    assert sorted(found, key=lambda each: each[1]) == [(task, task.point) for task in TASKS]
    assert not cancels


def test_a_thread_that_was_interrupted_while_it_was_started_has_ended_too(monkeypatch):
    """It is at work, and what it prints then would go where a command writes its results."""
    start, ended = threading.Thread.start, []

    def interrupted(thread):
        start(thread)
        raise KeyboardInterrupt

    def work(task):
        while not threads.cancel.is_set():
            time.sleep(0.01)
        time.sleep(0.2)
        ended.append(task)

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt), started(1) as threads:
        list(threads.each(work, [Task(0, 0)]))
    assert ended == [Task(0, 0)]
